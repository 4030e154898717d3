import type { Json } from '#contract';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dateInWords } from '../../languages/times.ts';
import { toolInWords } from '../../languages/tools.ts';
import { type Evidence, nameOfSource } from './evidence.ts';

/** By which a reader of mail knows what an answer rests on. */
export interface Naming {
  readonly language: Language;
  /** Names of the files of the mail, by the ids that only a model is shown. */
  readonly attachments: ReadonlyMap<string, string>;
  /** Who reads it; absent in runs of older versions, which named tools and files to everybody. */
  readonly readBy?: 'insiders' | 'outsiders' | undefined;
}

const field = (value: Json, key: string): string | null => {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === 'string' && found !== '' ? found : null;
};

/** `reise.xlsx, sheet Reise, row 12`, `Nora, Sat, 28 Nov 2026`; `address`: where in it, where that is said. */
export function nameForPeople(item: Evidence, address: string | null, naming: Naming): string {
  const { language } = naming;
  const mail = nameOfMail(item.result, language);
  if (mail !== null) return mail;
  const plain = plainName(item, naming);
  if (plain !== null) return plain;
  const file = fileOf(item, naming);
  const sheet = /\.(?:xlsx?|xlsm|ods)$/i.test(file) ? field(item.result, 'table') : null;
  const place = sheet === null || sheet === file ? file : say(language, 'sources.sheet', { name: file, sheet });
  const row = rowOf(item.result, address);
  return row === null ? place : say(language, 'sources.row', { name: place, row: String(row) });
}

/** What these bring is no source of its own, and is called by what it is. */
const BY_TOOL = { ask_owner: 'sources.ofOwner', calculate: 'sources.calculated' } as const;

/** Without the name of a tool or of a file of the persona's, where that says nothing to its readers. Null: as it is called. */
function plainName({ source, tool }: Evidence, { language, readBy }: Naming): string | null {
  if (readBy === undefined) return null;
  if (tool === 'ask_owner' || tool === 'calculate') return say(language, BY_TOOL[tool]);
  // Their own mail and its files, and what stands on the web.
  const isTheirs = ATTACHMENT.test(source) || source === 'mail' || tool === 'thread' || /^https?:/.test(source);
  return readBy === 'insiders' || isTheirs ? null : say(language, 'sources.ofOurs');
}

const ATTACHMENT = /^(att_\w+)(?:\/(.+))?$/;

/** As its result says; of a file with one table that table is called by the file. */
function nameIn(result: Json): string | null {
  const table = field(result, 'table');
  return field(result, 'name') ?? (table !== null && /\.(?:csv|tsv)$/i.test(table) ? table : null);
}

function fileOf(item: Evidence, { attachments, language }: Naming): string {
  const { source, tool, result } = item;
  const [, id, part] = ATTACHMENT.exec(source) ?? [];
  if (id !== undefined) return part ?? attachments.get(id) ?? nameIn(result) ?? say(language, 'sources.anAttachment');
  if (source === 'mail') return say(language, 'sources.thisMail');
  if (tool === 'thread') return say(language, 'sources.ofThread');
  const name = nameOfSource({ source, tool });
  return name === tool ? toolInWords(tool, language) : name;
}

/** Who wrote it and when, of one mail that was opened or that a search has listed. */
function nameOfMail(result: Json, language: Language): string | null {
  const [id, from, date] = ['message_id', 'from', 'date'].map((key) => field(result, key));
  if (!id || !from || !date) return null;
  const open = from.trimEnd().endsWith('>') ? from.lastIndexOf('<') : -1;
  const who = (open < 0 ? from : from.slice(0, open)).trim() || from;
  const day = date.slice(0, 10);
  return /^\d{4}-\d\d-\d\d$/.test(day) ? `${who}, ${dateInWords(day, language)}` : who;
}

/** The row of a table that an address is in, as its readers count: the headings are the first. */
function rowOf(result: Json, address: string | null): number | null {
  const isTable = field(result, 'text') !== null || field(result, 'table') !== null;
  const [, byName, bySheet] =
    /^(?:r(\d{1,6})[./].+|r\d{1,6}|\$?[A-Z]{1,2}\$?(\d{1,6}))$/.exec(address?.trim() ?? '') ?? [];
  const row = byName ?? bySheet;
  return isTable && row !== undefined ? Number(row) : null;
}
