// Plain JavaScript in old syntax: this has to run on the Node that is too old for everything else.

/** A line for the person when this Node cannot run Epistle; undefined when it can. */
export function tooOld(version) {
  if (Number(version.split('.')[0]) >= 24) return undefined;
  return (
    'Epistle needs Node 24 or newer; this is Node ' +
    version +
    '. ' +
    'Install Node 24 LTS, or in a checkout run ./scripts/epistle, which brings its own.'
  );
}
