/** Words of others in lines of their own: none of them can stand where our own lines begin. */
export const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** The same inside of a line of ours. */
export const inOneLine = (text: string): string => text.replaceAll(/[\n\r]+/g, ' ');
