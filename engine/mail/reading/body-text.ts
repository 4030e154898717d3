import type { Allowance } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import type { TextPart, TextPlace } from '../mime/mailparser.ts';
import { stripInvisible } from '../text/invisible.ts';
import type { LabelContext } from '../text/labels/line.ts';
import { lettersIn, versionsDiffer } from '../text/words.ts';
import { type BodyText, bodyOf, plainVersion, type Version } from './body.ts';
import { withoutMarks } from './new-text.ts';

/** One readable text out of all text parts, and who wrote which part of it. */
export const readBody = (
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
  const differ = 'The plain text and the HTML of this mail say different things; the HTML was read.';
  return { ...byHtml, limitations: [...cut, differ] };
}
