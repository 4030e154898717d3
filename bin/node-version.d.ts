/** A line for the person when this Node cannot run Epistle; undefined when it can. */
export function tooOld(version: string): string | undefined;
