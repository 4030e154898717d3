/** One command of a block that a reader would type. */
export interface Typed {
  /** As it stands on the page, without what it reads. */
  readonly line: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  readonly stdin: string;
}

const TOKEN = /#.*$|<<<\s*'(?<text>[^']*)'|<<'(?<end>\w+)'|"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>\S+)/g;
const SETTING = /^([A-Z_]+)=(.*)$/;

/**
 * The commands of a shell block: words with quotes, settings before them, comments, here-documents and here-strings.
 * `home` takes the place of `~`. What else a shell can do has no place on a page for beginners.
 */
export function typedIn(text: string, home: string): Typed[] {
  const lines = text.split('\n');
  const typed: Typed[] = [];
  for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
    const found = [...line.matchAll(TOKEN)].map(({ groups = {} }) => groups);
    const words = found.flatMap((one) => wordOf(one, home));
    const program = words.findIndex((word) => !SETTING.test(word));
    if (program < 0) continue;
    const environment = Object.fromEntries(words.slice(0, program).map((word) => SETTING.exec(word)?.slice(1) ?? []));
    typed.push({ line, environment, words: words.slice(program), stdin: stdinOf(found, lines) });
  }
  return typed;
}

type Found = Readonly<Record<string, string | undefined>>;

function wordOf({ double, single, bare }: Found, home: string): string[] {
  const quoted = double ?? single;
  if (quoted !== undefined) return [quoted];
  return bare === undefined ? [] : [bare.replace(/(^|=)~(?=\/|$)/, `$1${home}`)];
}

/** Of a here-document the lines are taken from those that follow. */
function stdinOf(found: readonly Found[], below: string[]): string {
  const text = found.find((one) => one.text !== undefined)?.text;
  if (text !== undefined) return `${text}\n`;
  const end = found.find((one) => one.end !== undefined)?.end;
  return end === undefined
    ? ''
    : `${below
        .splice(0, below.indexOf(end) + 1)
        .slice(0, -1)
        .join('\n')}\n`;
}
