'use strict';
// Loaded before all else into each Node of a run at another date. What the system's library tells of the time is shifted
// there by libfaketime; the times of files come from the kernel, which knows nothing of that.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const shiftMs = Number(process.env.TESTS_SHIFTED_MS);
const KINDS = ['atime', 'mtime', 'ctime', 'birthtime'];

/** As the clock of this process would have it. */
function shifted(stats) {
  if (stats === undefined || stats === null) return stats;
  for (const kind of KINDS) {
    const ms = `${kind}Ms`;
    if (typeof stats[ms] === 'bigint') {
      stats[ms] += BigInt(shiftMs);
      stats[`${kind}Ns`] += BigInt(shiftMs) * 1_000_000n;
    } else stats[ms] += shiftMs;
  }
  return stats;
}

/** As the kernel would have it; a time is a number or text of seconds, or a date. Node takes any before 1970 for now. */
const unshifted = (time) => Math.max(0, (time instanceof Date ? time.getTime() / 1000 : Number(time)) - shiftMs / 1000);

const wrap = (where, name, by) => {
  const real = where[name];
  if (typeof real === 'function') where[name] = Object.assign(by(real), real);
};
const withCallback = (args, change) => {
  const last = args.at(-1);
  return typeof last === 'function' ? [...args.slice(0, -1), (error, value) => last(error, change(value))] : args;
};

for (const name of ['stat', 'lstat', 'fstat']) {
  wrap(
    fs,
    `${name}Sync`,
    (real) =>
      (...args) =>
        shifted(real(...args)),
  );
  wrap(
    fs,
    name,
    (real) =>
      (...args) =>
        real(...withCallback(args, shifted)),
  );
  wrap(
    fs.promises,
    name,
    (real) =>
      async (...args) =>
        shifted(await real(...args)),
  );
}
for (const name of ['utimes', 'lutimes', 'futimes']) {
  const by =
    (real) =>
    (file, accessed, modified, ...rest) =>
      real(file, unshifted(accessed), unshifted(modified), ...rest);
  for (const [where, own] of [
    [fs, `${name}Sync`],
    [fs, name],
    [fs.promises, name],
  ])
    wrap(where, own, by);
}

// Open files of `fs.promises` have methods of their own, of a class that nobody exports: the first of them shows it.
const known = new WeakSet();
wrap(fs.promises, 'open', (real) => async (...args) => {
  const handle = await real(...args);
  const methods = Object.getPrototypeOf(handle);
  if (known.has(methods)) return handle;
  known.add(methods);
  wrap(
    methods,
    'stat',
    (stat) =>
      async function (...asked) {
        return shifted(await stat.apply(this, asked));
      },
  );
  wrap(
    methods,
    'utimes',
    (utimes) =>
      function (accessed, modified) {
        return utimes.call(this, unshifted(accessed), unshifted(modified));
      },
  );
  return handle;
});

syncBuiltinESMExports();
