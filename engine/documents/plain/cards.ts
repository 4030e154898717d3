import type { Content, Reading } from '../reading.ts';

interface Line {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/** Fields in the order in which they are told, by their names in the file. */
const EVENT: Readonly<Record<string, string>> = {
  SUMMARY: 'Subject',
  DTSTART: 'Start',
  DTEND: 'End',
  DUE: 'Due',
  DURATION: 'Lasts',
  RRULE: 'Repeats',
  RDATE: 'Also on',
  EXDATE: 'Not on',
  'RECURRENCE-ID': 'Instead of',
  LOCATION: 'Where',
  STATUS: 'Status',
  ORGANIZER: 'Organiser',
  ATTENDEE: 'Invited',
  DESCRIPTION: 'Text',
  COMMENT: 'Comment',
  URL: 'Link',
  UID: 'Id',
};
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
const COMPONENTS: Readonly<Record<string, readonly [heading: string, fields: Readonly<Record<string, string>>]>> = {
  VEVENT: ['Event', EVENT],
  VTODO: ['Task', EVENT],
  VJOURNAL: ['Note', EVENT],
  VFREEBUSY: ['Busy times', EVENT],
  VCARD: ['Contact', CARD],
};
const PARAMETERS = {
  TZID: /(?:^|;)TZID="?([^;"]{1,200})/i,
  PARTSTAT: /(?:^|;)PARTSTAT="?([^;"]{1,200})/i,
  CN: /(?:^|;)CN="?([^;"]{1,200})/i,
  TYPE: /(?:^|;)TYPE="?([^;"]{1,200})/i,
};
const MAX_COMPONENTS = 5000;

/** A calendar (RFC 5545) or contacts (RFC 6350), a block for each, in words. */
export function readCards(kind: 'ics' | 'vcf', text: string, reading: Reading): Content {
  const blocks: string[] = [];
  let method = '';
  let open: { readonly name: string; readonly lines: Line[] } | null = null;
  for (const line of linesOf(text)) {
    const component = line.value.toUpperCase();
    if (line.name === 'METHOD') method = line.value;
    else if (line.name === 'BEGIN' && COMPONENTS[component]) open = { name: component, lines: [] };
    else if (line.name === 'END' && open?.name === component) {
      blocks.push(blockOf(open));
      open = null;
    } else open?.lines.push(line);
    if (blocks.length >= MAX_COMPONENTS) {
      reading.note(`Its first ${MAX_COMPONENTS} entries were read.`);
      break;
    }
  }
  // A file that holds none of them is shown as it stands.
  if (blocks.length === 0) return { kind, text };
  return { kind, text: [...(method === '' ? [] : [`Method: ${method}`]), ...blocks].join('\n\n') };
}

function blockOf({ name, lines }: { readonly name: string; readonly lines: readonly Line[] }): string {
  const [heading = name, fields = {}] = COMPONENTS[name] ?? [];
  const told = Object.entries(fields).flatMap(([field, label]) =>
    lines.filter((line) => line.name === field && line.value !== '').map((line) => `${label}: ${shown(line)}`),
  );
  return [heading, ...told].join('\n');
}

function shown({ name, parameters, value }: Line): string {
  const parameter = (key: keyof typeof PARAMETERS) => PARAMETERS[key].exec(parameters)?.[1] ?? '';
  if (/^(?:DTSTART|DTEND|DUE|RDATE|EXDATE|RECURRENCE-ID)$/.test(name)) {
    return [value.split(',').map(isoOf).join(', '), parameter('TZID')].filter(Boolean).join(' ');
  }
  if (name === 'ORGANIZER' || name === 'ATTENDEE') {
    const state = parameter('PARTSTAT').toLowerCase();
    const address = value.replace(/^mailto:/i, '');
    return [parameter('CN'), `<${address}>`, state === '' ? '' : `(${state})`].filter(Boolean).join(' ');
  }
  // Empty pieces of an address, or of an organisation with its department.
  if (name === 'ADR' || name === 'ORG') return pieces(value).filter(Boolean).join(', ');
  const type = name === 'TEL' || name === 'EMAIL' ? parameter('TYPE').toLowerCase() : '';
  return unescaped(value.replace(/^(?:tel|mailto):/i, '')) + (type === '' ? '' : ` (${type})`);
}

/** `20260301T140000Z` as `2026-03-01T14:00:00Z`. */
const isoOf = (value: string): string =>
  value.replace(/^(\d{4})(\d\d)(\d\d)/, '$1-$2-$3').replace(/T(\d\d)(\d\d)(\d\d)(Z?)$/, 'T$1:$2:$3$4');

const pieces = (value: string): string[] => value.split(/(?<!\\);/).map((piece) => unescaped(piece).trim());

const unescaped = (value: string): string =>
  value.replace(/\\([nN,;\\])/g, (_, letter: string) => (letter.toLowerCase() === 'n' ? '\n' : letter));

/** Lines as they were before they were folded. */
function* linesOf(text: string): Generator<Line> {
  for (const line of text.replace(/\n[ \t]/g, '').split('\n')) {
    const [, name = '', parameters = '', value = ''] =
      /^(?:[\w-]{1,40}\.)?([\w-]{1,60})((?:;[^:"]*(?:"[^"]*"[^:"]*)*)?):(.*)$/.exec(line) ?? [];
    if (name === '') continue;
    const isQuoted = /ENCODING=QUOTED-PRINTABLE/i.test(parameters);
    yield {
      name: name.toUpperCase(),
      parameters: parameters.slice(1),
      value: isQuoted ? fromQuoted(value) : value.trim(),
    };
  }
}

/** Of vCard 2.1. */
function fromQuoted(value: string): string {
  const bytes = value.replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8').trim();
}
