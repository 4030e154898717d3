/** One hash over engine/ and extensions/ below `root`. */
export function fingerprint(root: string): string;
