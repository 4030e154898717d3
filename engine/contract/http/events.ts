import { parseArguments } from './tool-arguments.ts';

/** More pieces than any answer has. */
const MAX_EVENTS = 200_000;

/**
 * What the events of a stream hold that came as one text: the JSON behind each `data:` (WHATWG HTML, 9.2.6). Comments, names,
 * marks of an end and pieces that were cut are passed over. Empty for a text that is no stream.
 */
export function eventsIn(stream: string): readonly object[] {
  const lines = stream
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\n|\r/)
    .slice(0, MAX_EVENTS);
  return lines.flatMap((line) => {
    const text = line.startsWith('data:') ? line.slice('data:'.length).trim() : '';
    const value = text.startsWith('{') ? parseArguments(text) : undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? [value] : [];
  });
}
