import type { Allowance } from '../html/allowance.ts';
import { htmlToReadable } from '../html/to-text.ts';
import type { TextPart } from '../mime/mailparser.ts';
import { bounded, stripInvisible } from '../text/invisible.ts';
import type { LabelContext } from '../text/label-lines.ts';
import { sameWords, versionsDiffer } from '../text/words.ts';
import { type SplitText, splitText, withoutMarks } from './new-text.ts';

export interface BodyText extends SplitText {
  readonly text: string;
  readonly hiddenCharacters: number;
  readonly limitations: readonly string[];
}

const MAX_TEXT = 200_000;
/** Read before hidden characters are out; enough to fill what is kept. */
const MAX_PLAIN = 5 * MAX_TEXT;
const MAX_QUOTED = 50_000;

interface Version {
  /** What is read. */
  readonly text: string;
  /** The same with the HTML's own marks of quotes, where it has any. */
  readonly marked: string | null;
  readonly hidden: number;
  readonly limitations: readonly string[];
}

/** One readable text out of all text parts, and who wrote which part of it. */
export function readBody(parts: readonly TextPart[], context: LabelContext, allowance: Allowance): BodyText {
  const versions = groupAlternatives(parts).map(({ plain, html }) => chooseVersion(plain, html, allowance));
  const hidden = versions.reduce((sum, version) => sum + version.hidden, 0);
  const whole = bounded(versions.map((version) => version.text).join('\n\n'), MAX_TEXT);
  const limitations = new Set(versions.flatMap((version) => version.limitations));
  if (whole.cut) limitations.add(`The text was cut after ${MAX_TEXT} characters.`);
  const marked = versions.some((version) => version.marked !== null)
    ? bounded(versions.map((version) => version.marked ?? version.text).join('\n\n'), MAX_TEXT).text
    : null;
  const split = bestSplit(whole.text, marked, context);
  const quoted = bounded(split.quotedText, MAX_QUOTED);
  if (quoted.cut) limitations.add(`The quoted text was cut after ${MAX_QUOTED} characters.`);
  return {
    ...split,
    quotedText: quoted.text,
    text: withoutMarks(whole.text),
    hiddenCharacters: hidden,
    limitations: [...limitations],
  };
}

/** The plain version keeps lines better; the HTML knows better what is quoted. Where both agree, the plain one wins. */
function bestSplit(text: string, marked: string | null, context: LabelContext): SplitText {
  const split = splitText(text, context);
  if (marked === null || marked === text) return split;
  const byMarks = splitText(marked, context);
  return sameWords(split.newText, byMarks.newText) ? split : byMarks;
}

function groupAlternatives(parts: readonly TextPart[]): { plain: string; html: string | null }[] {
  const groups = new Map<string, { plain: string; html: string | null }>();
  for (const [index, part] of parts.entries()) {
    const key = part.alternative > 0 ? `alternative ${part.alternative}` : `part ${index}`;
    const group = groups.get(key) ?? { plain: '', html: null };
    if (part.type === 'text/html') group.html = group.html === null ? part.text : `${group.html}<br>${part.text}`;
    else group.plain += (group.plain === '' ? '' : '\n') + part.text;
    groups.set(key, group);
  }
  return [...groups.values()];
}

const NOTED = 'Words between ~~ are struck out; what stands in [may be hidden: …] is not seen in every mail program.';

/** A person sees the HTML, so it wins wherever the plain text says something else. */
function chooseVersion(plainPart: string, htmlPart: string | null, allowance: Allowance): Version {
  const plain = stripInvisible(plainPart.slice(0, MAX_PLAIN).replace(/\r\n?/g, '\n'));
  const cutPlain = plainPart.length > MAX_PLAIN ? ['The text was too long; only its beginning was read.'] : [];
  if (htmlPart === null) return { text: plain.text, marked: null, hidden: plain.removed, limitations: cutPlain };
  const html = htmlToReadable(htmlPart, allowance);
  const visible = stripInvisible(html.text, true);
  const htmlText = visible.text;
  const seen = withoutMarks(htmlText);
  const hidden = html.hiddenCharacters + visible.removed;
  const marked = html.marked ? htmlText : null;
  const cut = [
    ...(html.cut ? ['The HTML was too long; only its beginning was read.'] : []),
    ...(html.noted ? [NOTED] : []),
  ];
  if (seen === '') return { text: plain.text, marked: null, hidden: hidden + plain.removed, limitations: cut };
  if (plain.text.trim() === '') return { text: htmlText, marked, hidden, limitations: cut };
  // The plain version does not say which words are struck out.
  if (html.noted) return { text: htmlText, marked, hidden, limitations: cut };
  if (!html.cut && !versionsDiffer(plain.text, seen)) {
    return { text: plain.text, marked, hidden: Math.max(hidden, plain.removed), limitations: cut };
  }
  const differ = 'The plain text and the HTML of this mail say different things; the HTML was read.';
  return { text: htmlText, marked, hidden, limitations: [...cut, differ] };
}
