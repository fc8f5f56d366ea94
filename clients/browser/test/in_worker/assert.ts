/** What the tests use of Node's strict assertions, for a worker of a browser. */

class AssertionError extends Error {}

function fail(words: string, message: string | undefined): never {
  throw new AssertionError(message === undefined ? words : `${message}: ${words}`);
}

/** Whether two values are deeply equal, as by `deepStrictEqual`. */
function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) {
    return false;
  }
  const kind = Object.getPrototypeOf(one);
  if (kind !== Object.getPrototypeOf(other)) return false;
  if (kind !== Object.prototype && kind !== Array.prototype) {
    throw new TypeError(`nothing here compares a ${kind?.constructor?.name}`);
  }
  const [left, right] = [one, other] as [Record<string, unknown>, Record<string, unknown>];
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSame(left[key], right[key]))
  );
}

function equal(actual: unknown, expected: unknown, message?: string): void {
  if (!Object.is(actual, expected)) fail(`${actual} is not ${expected}`, message);
}

function deepEqual(actual: unknown, expected: unknown, message?: string): void {
  if (isSame(actual, expected)) return;
  fail(`${JSON.stringify(actual)} is not ${JSON.stringify(expected)}`, message);
}

function ok(value: unknown, message?: string): void {
  if (!value) fail(`${value} is not true`, message);
}

type ErrorClass = new (...args: never[]) => Error;

/** `expected` is a class, a function that says true, or the fields of the error. */
function throws(work: () => unknown, expected: unknown, message?: string): void {
  let error: unknown;
  try {
    work();
  } catch (thrown) {
    error = thrown;
  }
  if (error === undefined) fail("nothing was thrown", message);
  if (typeof expected === "function") {
    const isClass = expected.prototype instanceof Error;
    const holds = isClass
      ? error instanceof (expected as ErrorClass)
      : (expected as (error: unknown) => unknown)(error) === true;
    if (!holds) fail(`${error} was thrown`, message);
    return;
  }
  for (const [key, value] of Object.entries(expected as object)) {
    deepEqual((error as Record<string, unknown>)[key], value, message);
  }
}

export default { equal, deepEqual, ok, throws };
