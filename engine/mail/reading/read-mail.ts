import type { GatewayConfig } from '../../config/types.ts';
import { type Allowance, fullAllowance, isSpent } from '../html/allowance.ts';
import { type DecodedParts, decodeParts, type TextPart } from '../mime/mailparser.ts';
import { type MimePart, readStructure } from '../mime/structure.ts';
import type { ParseOutcome } from '../mime/types.ts';
import { readAttachments } from './attachments.ts';
import { readBody } from './body-text.ts';
import { decodeLeaf } from './leaf.ts';
import { mailOf, readHead } from './parsed-mail.ts';
import { firstText, textLeaves } from './plain-reader.ts';

type Limits = GatewayConfig['limits'];

/**
 * Reads one mail; meant for the worker. `plain` reads headers and first text with our own code alone, for mail that
 * brought the full reader down. Does not throw on bad mail.
 */
export async function readMail(raw: Buffer, limits: Limits, plain = false): Promise<ParseOutcome> {
  const structure = readStructure(raw, limits);
  if (!structure.ok) return { ok: false, code: 'mime_limit', message: structure.message };
  const { root, block, blanks } = structure;
  if (block.lines.length === 0) return { ok: false, code: 'unparsable', message: 'no header line was found' };
  const allowance = fullAllowance({ styles: !plain });
  const { parts, limitations, isCut } =
    blanks.length === 0
      ? await readParts(raw, root, plain, allowance)
      : await readWithout(raw, blanks, limits, { plain, allowance });
  const files = parts.files.filter((file) => !file.inline).length;
  if (files > limits.max_attachments) {
    return {
      ok: false,
      code: 'too_many_attachments',
      message: `${files} attachments, ${limits.max_attachments} allowed`,
    };
  }
  const head = readHead(raw, structure);
  const text = readBody(parts.texts, head.context, allowance);
  const body = { ...text, isCut: text.isCut || isCut || isSpent(allowance) };
  const attachments = readAttachments(parts.files, limits);
  const more = isSpent(allowance) ? ['There was more HTML in this mail than is read.'] : [];
  const all = [...limitations, ...sealedBody(root), ...body.limitations, ...more];
  return { ok: true, mail: mailOf(head, body, { attachments, limitations: [...new Set(all)] }) };
}

const NOTHING: DecodedParts = { texts: [], files: [], cut: false };

/** The full reader has to end the header of a part where we do. */
async function readWithout(
  raw: Buffer,
  blanks: readonly { from: number; to: number }[],
  limits: Limits,
  { plain, allowance }: { plain: boolean; allowance: Allowance },
) {
  const starts = [0, ...blanks.map(({ to }) => to)];
  const bytes = Buffer.concat(starts.map((start, index) => raw.subarray(start, blanks[index]?.from ?? raw.length)));
  const structure = readStructure(bytes, limits);
  return structure.ok
    ? readParts(bytes, structure.root, plain, allowance)
    : { parts: NOTHING, limitations: [structure.message], isCut: true };
}

async function readParts(raw: Buffer, root: MimePart, plain: boolean, allowance: Allowance) {
  try {
    const parts = plain ? null : await decodeParts(raw);
    if (parts && !isEmptyShell(root, parts)) return withCut(parts.cut, repairTexts(raw, root, parts));
  } catch {
    // mailparser refuses whole mails for one bad part; the person still gets an answer to what can be read.
  }
  const texts: TextPart[] = [{ type: 'text/plain', text: firstText(raw, root, allowance), alternative: 0 }];
  const reason = plain ? 'it is too complex' : 'it is malformed';
  return {
    parts: { texts, files: [] },
    limitations: [`Only the first text of this mail could be read, without attachments: ${reason}.`],
    isCut: true,
  };
}

const withCut = <Read extends { limitations: string[] }>(isCut: boolean, read: Read): Read & { isCut: boolean } => ({
  ...read,
  isCut,
  limitations: [...read.limitations, ...(isCut ? ['The text was too long; only its beginning was read.'] : [])],
});

/** A multipart whose boundary is missing or never used: nothing came out of it, although it has a body. */
const isEmptyShell = (root: MimePart, { texts, files }: DecodedParts): boolean =>
  root.type.startsWith('multipart/') && root.children.length === 0 && texts.length === 0 && files.length === 0;

/**
 * Our own reader's text where the full reader's will not do: where decoding left replacement characters, since ours may
 * know the charset or guess better, and where lines are joined, since the full one joins what was quoted, too.
 */
function repairTexts(raw: Buffer, root: MimePart, parts: DecodedParts) {
  const leaves = textLeaves(root);
  const isBroken = parts.texts.some((part) => part.text.includes('\ufffd'));
  if (!isBroken && !leaves.some(({ flowed }) => flowed)) return { parts, limitations: [] };
  const aligned = leaves.length === parts.texts.length && leaves.every((leaf, n) => leaf.type === parts.texts[n]?.type);
  const texts = parts.texts.map((part, index) => {
    const leaf = aligned ? leaves[index] : undefined;
    return leaf && (leaf.flowed || part.text.includes('\ufffd')) ? { ...part, text: decodeLeaf(raw, leaf).text } : part;
  });
  const limitations = isBroken
    ? ['Some characters could not be decoded for certain: the charset of this mail is missing or wrong.']
    : [];
  return { parts: { texts, files: parts.files }, limitations };
}

function sealedBody(root: MimePart): string[] {
  return root.type === 'multipart/encrypted' || /^application\/(x-)?pkcs7-mime$/.test(root.type)
    ? ['This mail is encrypted and cannot be read.']
    : [];
}
