// Loaded before a program (`node --import`): ends it as a power cut would, by SIGKILL, before the n-th of those of its steps
// that a disk or a database notices. `DIES_AT`: n; 0 counts them, and writes how many there were to `DIES_COUNT`.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const dies = Number(process.env.DIES_AT);
const counts = process.env.DIES_COUNT;
let steps = 0;

const dying = (real) =>
  function step(...given) {
    steps += 1;
    if (steps === dies) process.kill(process.pid, 'SIGKILL');
    return real.apply(this, given);
  };

for (const name of ['renameSync', 'fsyncSync', 'linkSync', 'mkdirSync', 'writeSync', 'writeFileSync'])
  fs[name] = dying(fs[name]);
syncBuiltinESMExports();

const { prototype } = createRequire(import.meta.url)('better-sqlite3');
for (const name of ['exec', 'pragma', 'backup']) prototype[name] = dying(prototype[name]);

if (dies === 0) process.on('exit', () => fs.appendFileSync(counts, `${steps}\n`));
