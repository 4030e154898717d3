import type { Question } from './answer-case.ts';
import { escaped, splitHtml, textOfHtml, wrapped } from './html.ts';
import { headerName, headerText, multipart, partOf } from './mime.ts';
import { headerDate } from './programs/dates.ts';
import { type Program, quotedBody, type Setting, type Shape } from './programs/program.ts';

/** Something of a mail, as the text part has it and as the HTML has it. */
export interface Piece {
  readonly text: readonly string[];
  readonly html: string;
}

/** What an owner does to the quotation. */
export interface Edits {
  /** Behind the line that says who wrote. */
  readonly onHead?: string;
  readonly belowHead?: readonly string[];
  /** Between two quoted paragraphs; `isInside`: without leaving the quotation of the HTML. */
  readonly between?: { readonly after: number; readonly lines: readonly string[]; readonly isInside: boolean };
  /** At the end of a quoted line. */
  readonly onLine?: { readonly line: number; readonly words: string };
  /** Behind the last quoted line, still inside the container of the HTML. */
  readonly inContainer?: readonly string[];
}

export interface Draft {
  readonly above: readonly Piece[];
  /** Null: nothing is quoted. */
  readonly quote: Edits | null;
  readonly below?: readonly Piece[];
  readonly subject?: (asked: string) => string;
  /** A second part of text behind the letter. */
  readonly secondPart?: string;
}

export interface Pen {
  readonly program: Program;
  readonly setting: Setting;
  typed(lines: readonly string[]): Piece;
  /** Lines inside the element that the program has for signatures, or another. */
  signed(lines: readonly string[], mark?: string, element?: { readonly open: string; readonly close: string }): Piece;
  /** Its own footer, perhaps with something behind it. */
  footer(behind?: string): Piece;
}

export function penOf(program: Program, setting: Setting): Pen {
  const typed = (lines: readonly string[]): Piece => ({
    text: lines,
    html: lines.map((line) => (line === '' ? program.blank : program.line(escaped(line)))).join(''),
  });
  return {
    program,
    setting,
    typed,
    signed(lines, mark = program.signature?.mark ?? '', element = program.signature) {
      const marks = mark === '' ? [] : mark.split('\n').slice(0, 1);
      const html = `${element?.open ?? '<div>'}${lines.map(escaped).join('<br>')}${element?.close ?? '</div>'}`;
      return { text: [...marks, ...lines], html };
    },
    footer(behind = '') {
      const text = `${program.footer?.(setting.wording) ?? ''}${behind}`;
      return { text: text.split('\n'), html: program.footerHtml(escaped(text).replaceAll('\n', '<br>')) };
    },
  };
}

function quotedLines(program: Program, question: Question): string[] {
  const own = question.text.trimEnd().split(/\r?\n/);
  const lines = program.style === 'text' ? own : textOfHtml(question.html, program.style);
  const mark = program.dropsSignature ? lines.findIndex((line) => /^-- ?$/.test(line)) : -1;
  const kept = mark < 0 ? lines : lines.slice(0, mark);
  const trimmed = kept.join('\n').trimEnd().split('\n');
  return program.width > 0 ? wrapped(trimmed, program.width) : trimmed;
}

/** Behind the n-th paragraph: the index of the empty line below it. */
const endOfParagraph = (lines: readonly string[], after: number): number => {
  const ends = lines.flatMap((line, index) => (line === '' && lines[index - 1] !== '' ? [index] : []));
  return ends[Math.min(after, ends.length - 1)] ?? lines.length;
};

function quotedText(pen: Pen, shape: Shape, edits: Edits): string[] {
  const { program, setting } = pen;
  const mark = (line: string): string => (line === '' ? shape.prefix.trimEnd() : `${shape.prefix}${line}`);
  const lines = quotedLines(program, setting.question);
  const full = lines.flatMap((line, index) => (line === '' ? [] : [index]));
  const edited = full[Math.min(edits.onLine?.line ?? -1, full.length - 1)];
  const shown = lines.map((line, index) => mark(index === edited ? `${line} ${edits.onLine?.words}` : line));
  const at = edits.between ? endOfParagraph(lines, edits.between.after) : lines.length;
  const between = edits.between ? ['', ...edits.between.lines, ''] : [];
  const last = shape.head.findLastIndex((line) => line !== '');
  return [
    ...shape.head.map((line, index) =>
      index === last && edits.onHead !== undefined ? `${line} ${edits.onHead}` : line,
    ),
    ...(edits.belowHead ? [...edits.belowHead, ''] : []),
    ...shown.slice(0, at),
    ...between,
    ...shown.slice(at),
    ...(edits.inContainer ? ['', ...edits.inContainer] : []),
  ];
}

function quotedHtml(pen: Pen, shape: Shape, edits: Edits): string {
  const { program, setting } = pen;
  const whole = program.quotedHtml(quotedBody(setting.question));
  const line = edits.onLine;
  const ends = [...whole.matchAll(/<\/p>/g)];
  const end = ends[Math.min(line?.line ?? -1, ends.length - 1)]?.index;
  const body = line && end !== undefined ? `${whole.slice(0, end)} ${escaped(line.words)}${whole.slice(end)}` : whole;
  const { open, text, close } = shape.headHtml;
  const head = `${open}${text}${edits.onHead === undefined ? '' : ` ${escaped(edits.onHead)}`}${close}`;
  const below = edits.belowHead ? pen.typed(edits.belowHead).html : '';
  return [
    `${shape.open}${head}${below}${shape.quoteOpen}`,
    edits.between ? withBetween(pen, shape, body, edits.between) : body,
    `${shape.quoteClose}${edits.inContainer ? pen.typed(edits.inContainer).html : ''}${shape.close}`,
  ].join('');
}

function withBetween(pen: Pen, shape: Shape, body: string, { after, lines, isInside }: NonNullable<Edits['between']>) {
  const words = pen.typed(lines).html;
  const { before, behind } = splitHtml(body, after);
  if (!isInside) return `${before}${shape.quoteClose}${words}${shape.quoteOpen}${behind}`;
  const red = words.replaceAll('<div>', '<div style="color:#c00000">');
  return `${before}${red}${behind}`;
}

/** The question as the program quotes it. */
export const quotation = (pen: Pen, edits: Edits): Piece => {
  const shape = pen.program.shape.of(pen.setting);
  return { text: quotedText(pen, shape, edits), html: quotedHtml(pen, shape, edits) };
};

/** RFC 3676 4.1 and 4.2: lines that are too long go on in the next. */
const flowing = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const rows = line.length > 76 && !line.startsWith('>') ? wrapped([line], 72) : [line];
    return rows.map((row, index) => (index < rows.length - 1 ? `${row} ` : row));
  });

/** The mail of a draft as bytes. */
export function letterOf(pen: Pen, draft: Draft, name: string, messageId: string): Buffer {
  const { program, setting } = pen;
  const { question, owner, wording } = setting;
  const quote = draft.quote ? [quotation(pen, draft.quote)] : [];
  const own = program.posts === 'top' ? [...draft.above, ...quote] : [...quote, ...draft.above];
  const pieces = [...own, ...(draft.below ?? [])];
  const whole = pieces.flatMap((piece, index) => (index === 0 ? piece.text : ['', ...piece.text]));
  const lines = program.breaksAt === undefined ? whole : wrapped(whole, program.breaksAt);
  const coding = program.coding(setting.language);
  const text = partOf(
    { type: 'text/plain', text: (program.isFlowed ? flowing(lines) : lines).join('\n'), isFlowed: program.isFlowed },
    coding,
  );
  const html = (): Buffer =>
    partOf(
      { type: 'text/html', text: program.document(pieces.map((piece) => piece.html).join(program.blank)) },
      coding,
    );
  const boundary = Buffer.from(messageId).toString('hex').slice(0, 24);
  const letter =
    program.parts === 'plain'
      ? text
      : program.parts === 'html'
        ? html()
        : multipart('alternative', `alt-${boundary}`, [text, html()]);
  const content =
    draft.secondPart === undefined
      ? letter
      : multipart('mixed', `mix-${boundary}`, [
          letter,
          partOf({ type: 'text/plain', text: draft.secondPart, headers: ['Content-Disposition: inline'] }, coding),
        ]);
  const asked = `${program.reply(wording)} ${question.subject}`;
  const head = [
    `From: ${headerName(name)} <${owner}>`,
    `To: ${question.from.name} <${question.replyTo ?? question.from.address}>`,
    `Subject: ${headerText(draft.subject?.(asked) ?? asked)}`,
    `Date: ${headerDate(new Date(question.sentAt.getTime() + 40_000))}`,
    `Message-ID: ${messageId}`,
    ...(program.references === 'none' ? [] : [`In-Reply-To: ${question.messageId}`]),
    ...((program.references ?? 'both') === 'both' ? [`References: ${question.messageId}`] : []),
    'MIME-Version: 1.0',
    ...program.headers,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n`), content]);
}
