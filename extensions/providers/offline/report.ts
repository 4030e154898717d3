import type { ToolResult } from '#contract';

const QUOTED_CHARACTERS = 500;
const RESULT_CHARACTERS = 200;

/** Says that no model read the mail, quotes its beginning and lists what became of each call. */
export function finalText(mail: string, results: readonly ToolResult[]): string {
  const intro =
    'No model read this mail: the offline provider only runs the tool calls that a mail spells out. To have a model read your mail, run setup.';
  const begin = `Your mail begins:\n\n${first(mail, QUOTED_CHARACTERS)}`;
  return [intro, begin, results.map(lineOf).join('\n')].filter((part) => part !== '').join('\n\n');
}

function lineOf({ name, content, isError }: ToolResult): string {
  const { code, detail } = read(content, isError);
  // One line each, whatever the tool returned.
  const text = first(detail.replaceAll(/\s+/g, ' ').trim(), RESULT_CHARACTERS);
  return `${name}: ${code === undefined ? 'ok' : `error ${code}`} ${text}`.trimEnd();
}

/** Results are `{ok: true, result}` or `{ok: false, error: {code, message}}`; anything else is shown as it is. */
function read(content: string, isError: boolean): { code: string | undefined; detail: string } {
  const parsed = parse(content);
  const error = field(parsed, 'error');
  if (field(parsed, 'ok') === false || isError) {
    return { code: asText(field(error, 'code') ?? 'tool_failed'), detail: asText(field(error, 'message') ?? content) };
  }
  return { code: undefined, detail: asText(field(parsed, 'result') ?? content) };
}

function parse(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const field = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Counts characters, not UTF-16 halves: a cut emoji would not survive the mail's encoding. */
const first = (text: string, characters: number): string =>
  [...text.slice(0, characters * 2)].slice(0, characters).join('');
