import type { GatewayConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { type Allowance, fullAllowance, isSpent } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import { distinctNames, safeAttachmentName } from '../mime/attachment-name.ts';
import { type DecodedParts, decodeParts, type FilePart, type TextPart, type TextPlace } from '../mime/mailparser.ts';
import { type Edit, type MimePart, readStructure } from '../mime/structure.ts';
import type { ParsedAttachment, ParseOutcome, Supposed } from '../mime/types.ts';
import { charsetsNamed } from '../mime/words.ts';
import { fromEnriched } from '../text/enriched.ts';
import { stripInvisible } from '../text/invisible.ts';
import type { LabelContext } from '../text/labels/label-lines.ts';
import { lettersIn, VERSIONS_DIFFER, versionsDiffer } from '../text/words.ts';
import { type BodyText, bodyOf, plainVersion, TOO_LONG, type Version, withoutMarks } from './body.ts';
import { mailOf, readHead } from './parse.ts';
import { firstText, placesOf, textLeaves } from './plain-reader.ts';
import { largerThan } from './too-large.ts';

type Limits = GatewayConfig['limits'];

/**
 * Reads one mail; meant for the worker. `plain` reads headers and first text with our own code alone, for mail that
 * brought the full reader down. Does not throw on bad mail.
 */
export async function readMail(
  raw: Buffer,
  limits: Limits,
  { plain = false, supposed = null }: { readonly plain?: boolean; readonly supposed?: Supposed | null } = {},
): Promise<ParseOutcome> {
  const structure = readStructure(raw, limits);
  if (!structure.ok) return { ok: false, code: 'mime_limit', message: structure.message };
  const { root, block, edits } = structure;
  if (block.lines.length === 0) return { ok: false, code: 'unparsable', message: 'no header line was found' };
  const allowance = fullAllowance({ styles: !plain });
  const isUnsigned = supposed?.isPlainFirst ?? false;
  const how = { plain, allowance, near: charsetsNamed(block.lines), isUnsigned };
  const { parts, limitations, isCut } =
    edits.length === 0 ? await readParts(raw, root, how) : await readEdited(raw, edits, limits, how);
  const files = parts.files.filter((file) => !file.inline).length;
  if (files > limits.max_attachments) {
    return {
      ok: false,
      code: 'too_many_attachments',
      message: `${files} attachments, ${limits.max_attachments} allowed`,
    };
  }
  const head = readHead(raw, structure, { near: parts.charsets, supposed });
  const text = readBody(withoutCommands(root, parts.texts), head.context, {
    allowance,
    isPlainFirst: supposed?.isPlainFirst,
  });
  const body = { ...text, isCut: text.isCut || isCut || isSpent(allowance) };
  const attachments = readAttachments(parts.files, limits);
  const more = isSpent(allowance) ? ['There was more HTML in this mail than is read.'] : [];
  const all = [...limitations, ...sealedBody(root), ...body.limitations, ...more];
  return { ok: true, mail: mailOf(head, body, { attachments, limitations: [...new Set(all)] }) };
}

const NOTHING: DecodedParts = { texts: [], files: [], cut: false, charsets: [] };

interface How {
  readonly plain: boolean;
  readonly allowance: Allowance;
  /** Charsets that the header of the mail names. */
  readonly near: readonly string[];
  /** Nobody signed how the parts belong together. */
  readonly isUnsigned: boolean;
}

/** The full reader has to end the header of a part where we do, and to find the type in it that we found. */
async function readEdited(raw: Buffer, edits: readonly Edit[], limits: Limits, how: How) {
  const pieces = edits.flatMap(({ from, text }, index) => [
    raw.subarray(edits[index - 1]?.to ?? 0, from),
    Buffer.from(text),
  ]);
  const bytes = Buffer.concat([...pieces, raw.subarray(edits.at(-1)?.to ?? 0)]);
  const structure = readStructure(bytes, limits);
  return structure.ok
    ? readParts(bytes, structure.root, how)
    : { parts: NOTHING, limitations: [structure.message], isCut: true };
}

async function readParts(raw: Buffer, root: MimePart, { plain, allowance, near, isUnsigned }: How) {
  try {
    const read = plain ? null : await decodeParts(raw, near);
    if (read && !isEmptyShell(root, read)) {
      const parts = { ...read, texts: withPlaces(root, read.texts, isUnsigned) };
      return withCut(read.cut, { parts, limitations: doubts(read) });
    }
  } catch {
    // mailparser refuses whole mails for one bad part; the person still gets an answer to what can be read.
  }
  const texts: TextPart[] = [{ type: 'text/plain', ...firstText(raw, root, allowance), exact: false, alternative: 0 }];
  const reason = plain ? 'it is too complex' : 'it is malformed';
  return {
    parts: { texts, files: [], charsets: near },
    limitations: [`Only the first text of this mail could be read, without attachments: ${reason}.`],
    isCut: true,
  };
}

const withCut = <Read extends { limitations: string[] }>(isCut: boolean, read: Read): Read & { isCut: boolean } => ({
  ...read,
  isCut,
  limitations: [...read.limitations, ...(isCut ? [TOO_LONG] : [])],
});

/** A multipart whose boundary is missing or never used: nothing came out of it, although it has a body. */
const isEmptyShell = (root: MimePart, { texts, files }: DecodedParts): boolean =>
  root.type.startsWith('multipart/') && root.children.length === 0 && texts.length === 0 && files.length === 0;

const doubts = ({ texts }: DecodedParts): string[] =>
  texts.every(({ exact }) => exact)
    ? []
    : ['Some characters could not be decoded for certain: the charset of this mail is missing or wrong.'];

/**
 * Where the readers disagree about the parts, each is a text of its own but the first, and that one, too, if any of them may be a
 * file. Where nobody signed how they belong together, none goes on behind a file.
 */
function withPlaces(root: MimePart, texts: readonly TextPart[], isUnsigned: boolean): readonly TextPart[] {
  const places = placesOf(root);
  if (places.length !== texts.length)
    return places.includes('own') ? texts.map((part) => ({ ...part, place: 'own' })) : texts;
  return texts.map((part, index) => {
    const place = places[index] ?? 'own';
    return { ...part, place: isUnsigned && place === 'behind_file' ? 'own' : place };
  });
}

/** The words of text/enriched and text/richtext; where the readers disagree about the parts, they stay as they were written. */
function withoutCommands(root: MimePart, texts: readonly TextPart[]): readonly TextPart[] {
  const leaves = textLeaves(root);
  if (!leaves.some(({ type }) => ENRICHED.test(type)) || leaves.length !== texts.length) return texts;
  return texts.map((part, index) => {
    const kind = ENRICHED.exec(leaves[index]?.type ?? '')?.[1];
    return kind === undefined
      ? part
      : { ...part, text: fromEnriched(part.text, kind === 'enriched' ? kind : 'richtext') };
  });
}

const ENRICHED = /^text\/(enriched|richtext)$/;

function sealedBody(root: MimePart): string[] {
  return root.type === 'multipart/encrypted' || /^application\/(x-)?pkcs7-mime$/.test(root.type)
    ? ['This mail is encrypted and cannot be read.']
    : [];
}

const EMPTY = new Uint8Array();

/** Files of a mail, names made safe and distinct; one that is too large is listed without its content. */
function readAttachments(files: readonly FilePart[], limits: GatewayConfig['limits']): ParsedAttachment[] {
  const names = distinctNames(files.map((file) => safeAttachmentName(file.name, file.type)));
  return files.map((file, index) => {
    const tooLarge = file.content.length > limits.max_attachment_bytes;
    return {
      name: names[index] ?? 'attachment',
      type: /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream',
      bytes: file.content.length,
      sha256: sha256(file.content),
      content: tooLarge ? EMPTY : ownBytes(file.content),
      contentId: file.contentId?.slice(0, 200) ?? null,
      inline: file.inline,
      charset: file.charset?.slice(0, 60) ?? null,
      unreadable: tooLarge ? largerThan(limits.max_attachment_bytes) : sealed(file),
    };
  });
}

/** Small buffers are views into a pool of 8 KiB, which would cross the worker's border as a whole. */
function ownBytes(content: Buffer): Uint8Array {
  return content.byteLength === content.buffer.byteLength ? content : new Uint8Array(content);
}

/** Containers that need a key or a reader we do not have. Their bytes are kept. */
function sealed({ type, name }: FilePart): string | null {
  if (type === 'application/ms-tnef' || type === 'application/vnd.ms-tnef' || /^winmail\.dat$/i.test(name ?? '')) {
    return 'an Outlook container (winmail.dat) that is not unpacked';
  }
  const encrypted = type === 'application/pgp-encrypted' || /^application\/(x-)?pkcs7-mime$/.test(type);
  return encrypted ? 'encrypted' : null;
}

/** One readable text out of all text parts, and who wrote which part of it. */
const readBody = (
  parts: readonly TextPart[],
  context: LabelContext,
  { allowance, isPlainFirst = false }: { readonly allowance: Allowance; readonly isPlainFirst?: boolean | undefined },
): BodyText =>
  bodyOf(
    groupAlternatives(parts).map(({ plain, html, place }) => {
      const version = { ...chooseVersion(plain, html, allowance), place };
      return isPlainFirst ? plainFirst(version, plain) : version;
    }),
    context,
    isPlainFirst,
  );

/** Where nobody signed that the HTML is a version of the text, it may be somebody else's. */
function plainFirst(version: Version, plainPart: string): Version {
  const { text } = plainVersion(plainPart);
  const html = version.marked ?? version.both?.html ?? null;
  return text.trim() === '' ? version : { ...version, text, marked: html };
}

interface Group {
  plain: string;
  html: string | null;
  readonly place: TextPlace;
}

function groupAlternatives(parts: readonly TextPart[]): Group[] {
  const groups = new Map<string, Group>();
  for (const [index, part] of parts.entries()) {
    const key = part.alternative > 0 ? `alternative ${part.alternative}` : `part ${index}`;
    const group = groups.get(key) ?? { plain: '', html: null, place: part.place };
    if (part.type === 'text/html') group.html = group.html === null ? part.text : `${group.html}<br>${part.text}`;
    else group.plain += (group.plain === '' ? '' : '\n') + part.text;
    groups.set(key, group);
  }
  return [...groups.values()];
}

const NOTED = 'Words between ~~ are struck out; what stands in [may be hidden: …] is not seen in every mail program.';

/** A person sees the HTML, so it wins wherever the plain text says something else. */
function chooseVersion(plainPart: string, htmlPart: string | null, allowance: Allowance): Omit<Version, 'place'> {
  const plain = plainVersion(plainPart);
  if (htmlPart === null) return plain;
  const html = htmlToReadable(htmlPart, allowance);
  const visible = stripInvisible(html.text, true);
  const htmlText = visible.text;
  const seen = withoutMarks(htmlText);
  const hidden = html.hiddenCharacters + visible.removed;
  const marked = html.marked ? htmlText : null;
  const isCut = html.cut || plain.isCut;
  const cut = [
    ...(html.cut ? ['The HTML was too long; only its beginning was read.'] : []),
    ...(html.noted ? [NOTED] : []),
  ];
  const read = { marked, isCut, limitations: cut };
  const both = lettersIn(plain.text) === lettersIn(seen) ? null : { plain: plain.text, html: htmlText };
  if (seen === '') return { ...read, text: plain.text, marked: null, hidden: hidden + plain.hidden, both: null };
  if (plain.text.trim() === '') return { ...read, text: htmlText, hidden, both: null };
  // The plain version does not say which words are struck out.
  const byHtml = { ...read, text: htmlText, hidden, both, plain: plain.text };
  if (html.noted) return byHtml;
  if (!html.cut && !versionsDiffer(plain.text, seen)) {
    return { ...read, text: plain.text, hidden: Math.max(hidden, plain.hidden), both };
  }
  return { ...byHtml, limitations: [...cut, VERSIONS_DIFFER] };
}
