// Plain JavaScript in old syntax, like bin/epistle.js. Vitest itself would run on an older Node, which strips types by
// its own means, and would pass tests of an engine that this Node can never start.
import { tooOld } from '../bin/node-version.js';

const old = tooOld(process.versions.node);
if (old) {
  process.stderr.write(old.replace('epistle,', 'test,') + '\n');
  process.exitCode = 2;
} else {
  import('./lib/run-tests.ts')
    .then((tests) => tests.runTests(process.argv.slice(2)))
    .then(
      (code) => {
        process.exitCode = code;
      },
      (error) => {
        process.stderr.write('The tests could not be started: ' + error.stack + '\n');
        process.exitCode = 1;
      },
    );
}
