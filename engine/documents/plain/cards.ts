import { decodeCharset } from '../../mail/charset/charset.ts';
import type { Content, Reading } from '../reading.ts';

interface Line {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/** Fields in the order in which they are told, by their names in the file. */
const CARD: Readonly<Record<string, string>> = {
  FN: 'Name',
  ORG: 'Organisation',
  TITLE: 'Position',
  ROLE: 'Role',
  EMAIL: 'Mail',
  TEL: 'Telephone',
  ADR: 'Address',
  URL: 'Link',
  BDAY: 'Birthday',
  NOTE: 'Note',
};
const TYPE = /(?:^|;)TYPE="?([^;"]{1,200})/i;
const MAX_ENTRIES = 5000;
/** Of a line: its name and parameters, and all of it. */
const [MAX_HEAD, MAX_LINE] = [500, 100_000];

/** Contacts (RFC 6350), a block for each, in words. */
export function readVcf(text: string, reading: Reading): Content {
  const blocks: string[] = [];
  let open: Line[] | null = null;
  for (const line of linesOf(text)) {
    const isCard = line.value.toUpperCase() === 'VCARD';
    if (line.name === 'BEGIN' && isCard) open = [];
    else if (line.name === 'END' && isCard && open) {
      blocks.push(blockOf(open));
      open = null;
    } else open?.push(line);
    if (blocks.length >= MAX_ENTRIES) {
      reading.note(`Its first ${MAX_ENTRIES} entries were read.`);
      break;
    }
  }
  return { kind: 'vcf', text: blocks.length === 0 ? text : blocks.join('\n\n') };
}

function blockOf(lines: readonly Line[]): string {
  const told = Object.entries(CARD).flatMap(([field, label]) =>
    lines.filter((line) => line.name === field && line.value !== '').map((line) => `${label}: ${shown(line)}`),
  );
  return ['Contact', ...told].join('\n');
}

function shown({ name, parameters, value }: Line): string {
  // Empty pieces of an address, or of an organisation with its department.
  if (name === 'ADR' || name === 'ORG') return pieces(value).filter(Boolean).join(', ');
  const type = name === 'TEL' || name === 'EMAIL' ? (TYPE.exec(parameters)?.[1] ?? '').toLowerCase() : '';
  return unescaped(value.replace(/^(?:tel|mailto):/i, '')) + (type === '' ? '' : ` (${type})`);
}

const pieces = (value: string): string[] => value.split(/(?<!\\);/).map((piece) => unescaped(piece).trim());

const unescaped = (value: string): string =>
  value.replace(/\\([nN,;\\])/g, (_, letter: string) => (letter.toLowerCase() === 'n' ? '\n' : letter));

/** Lines as they were before they were folded; of vCard 2.1, also where a `=` at the end says that its text goes on. */
function* linesOf(text: string): Generator<Line> {
  let begun = '';
  for (const piece of text.replace(/\n[ \t]/g, '').split('\n')) {
    const line = begun + piece;
    const goesOn = piece.endsWith('=') && /QUOTED-PRINTABLE/i.test(line.slice(0, MAX_HEAD));
    begun = goesOn && line.length < MAX_LINE ? line.slice(0, -1) : '';
    if (begun !== '') continue;
    const [, name = '', parameters = '', value = ''] =
      /^(?:[\w-]{1,40}\.)?([\w-]{1,60})((?:;[^:"]*(?:"[^"]*"[^:"]*)*)?):(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    const isQuoted = /ENCODING=QUOTED-PRINTABLE/i.test(parameters);
    yield {
      name: name.toUpperCase(),
      parameters: parameters.slice(1),
      value: isQuoted ? fromQuoted(value, parameters) : value.trim(),
    };
  }
}

/** Of vCard 2.1, in UTF-8 unless it says otherwise. */
function fromQuoted(value: string, parameters: string): string {
  const charset = /;CHARSET="?([\w-]{1,40})/i.exec(parameters)?.[1] ?? 'utf-8';
  const bytes = value.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return decodeCharset(Buffer.from(bytes, 'latin1'), charset).text.trim();
}
