/** The tests of the vectors in a worker of a browser: says once how they ended, and what was counted. */

import { counted } from "../vectors.test.js";
import { run } from "./runner.js";

const results = run();
postMessage({ results, counted: Object.fromEntries(counted) });
