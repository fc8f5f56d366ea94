/** What the tests use of Node's test runner, for a worker of a browser. */

const tests: { readonly name: string; readonly work: () => void }[] = [];

export function test(name: string, work: () => void): void {
  tests.push({ name, work });
}

/** Nothing: the worker reports by itself. */
export function after(_report: () => void): void {}

/** Runs all tests; by the name of each why it failed, or null. */
export function run(): Record<string, string | null> {
  const results: Record<string, string | null> = {};
  for (const { name, work } of tests) {
    try {
      work();
      results[name] = null;
    } catch (error) {
      results[name] = String(error);
    }
  }
  return results;
}
