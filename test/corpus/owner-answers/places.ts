import { escaped } from './html.ts';
import type { Draft, Pen, Piece } from './letter.ts';
import type { Program } from './programs/program.ts';
import type { Chance } from './random.ts';
import { FROM_THE_RIGHT, otherForm } from './scripts.ts';
import type { Words } from './words/words.ts';

export interface Situation {
  readonly pen: Pen;
  readonly words: Words;
  readonly yes: string;
  readonly doubt: string;
  readonly chance: Chance;
}

/** Somewhere in a mail where a doubt can stand. */
export interface Place {
  readonly class: string;
  /** Which programs have such a place. */
  readonly fits?: (program: Program) => boolean;
  /** What the reader finds there instead of the doubt. */
  readonly shows?: (doubt: string, chance: Chance) => string;
  draft(situation: Situation): Draft;
}

const FULL = {};
const hasHtml = ({ parts }: Program): boolean => parts !== 'plain';
const isDense = (words: Words): boolean => words.language === 'ja' || words.language === 'zh';

/** A yes, now and then with a greeting above it. */
const yesOf = ({ pen, words, yes, chance }: Situation): Piece =>
  pen.typed(chance.next() < 0.3 ? [chance.of(words.greetings), '', yes] : [yes]);

const below =
  (rule: (chance: Chance) => string) =>
  (s: Situation): Draft => ({
    above: [yesOf(s), s.pen.typed([rule(s.chance), s.doubt])],
    quote: FULL,
  });

/** The doubt inside an element of the HTML; in the text part it stands where the program puts a signature. */
const inside =
  (open: string, close: string, mark: string) =>
  (s: Situation): Draft => ({
    above: [yesOf(s), s.pen.signed([s.doubt], mark, { open, close })],
    quote: FULL,
  });

const sentence = (words: Words, first: string, second: string): string =>
  isDense(words) ? `${first.replace(/[。！!]$/u, '')}。${second}` : `${first.replace(/[.!]$/, '')}. ${second}`;

const hasAttribution = ({ shape }: Program): boolean => shape.kind === 'attribution';

const written: readonly Place[] = [
  {
    class: 'written_below',
    draft: (s) => ({ above: [yesOf(s), s.pen.typed([s.doubt, '', s.chance.of(s.words.closings)])], quote: FULL }),
  },
  {
    class: 'same_line',
    draft: (s) => ({ above: [s.pen.typed([sentence(s.words, s.yes, s.doubt)])], quote: FULL }),
  },
  { class: 'above_yes', draft: (s) => ({ above: [s.pen.typed([s.doubt]), yesOf(s)], quote: FULL }) },
  {
    class: 'flowed',
    fits: ({ isFlowed }) => isFlowed,
    draft: (s) => ({ above: [s.pen.typed([`${s.yes} `, s.doubt])], quote: FULL }),
  },
  {
    class: 'subject',
    draft: (s) => ({
      above: [yesOf(s)],
      quote: FULL,
      subject: (asked) => s.chance.of([`${asked} - ${s.doubt}`, s.doubt, `${s.doubt} (${asked})`, `Re: ${s.doubt}`]),
    }),
  },
];

const rules: readonly Place[] = [
  { class: 'below_dashes', draft: below(() => '--') },
  { class: 'below_dashes_blank', draft: below(() => '-- ') },
  { class: 'below_underscores', draft: below((chance) => chance.of(['___', '__', '____________________'])) },
  {
    class: 'below_other_rule',
    draft: below((chance) => chance.of(['***', '---', '-----', '=====', '~~~', '—', '* * *'])),
  },
];

const ends: readonly Place[] = [
  {
    class: 'below_signature',
    draft: (s) => ({
      above: [yesOf(s), s.pen.signed(s.chance.of(s.words.signatures)), s.pen.typed([s.doubt])],
      quote: FULL,
    }),
  },
  {
    class: 'last_line_of_signature',
    draft: (s) => ({
      above: [yesOf(s), s.pen.signed([...s.chance.of(s.words.signatures), s.doubt])],
      quote: FULL,
    }),
  },
  {
    class: 'postscript',
    draft: (s) => {
      const bye = [s.chance.of(s.words.closings), s.words.name];
      const line = s.pen.typed([`${s.words.postscript} ${s.doubt}`]);
      const end = s.chance.next() < 0.5 ? s.pen.typed(bye) : s.pen.signed(s.chance.of(s.words.signatures));
      return { above: [yesOf(s), end, line], quote: FULL };
    },
  },
  {
    class: 'below_footer',
    fits: ({ footer }) => footer !== undefined,
    draft: (s) => ({ above: [yesOf(s), s.pen.footer(), s.pen.typed([s.doubt])], quote: FULL }),
  },
  {
    class: 'in_footer',
    fits: ({ footer }) => footer !== undefined,
    draft: (s) => ({
      above: [yesOf(s), s.pen.footer(s.chance.of([`. ${s.doubt}`, ` - ${s.doubt}`, `, ${s.doubt}`]))],
      quote: FULL,
    }),
  },
];

const quoted: readonly Place[] = [
  {
    class: 'in_attribution',
    fits: hasAttribution,
    draft: (s) => ({ above: [yesOf(s)], quote: { onHead: s.doubt } }),
  },
  {
    class: 'below_attribution',
    draft: (s) => ({ above: [yesOf(s)], quote: { belowHead: [s.doubt] } }),
  },
  {
    class: 'between_quoted',
    draft: (s) => ({
      above: [yesOf(s)],
      quote: { between: { after: s.chance.below(5), lines: [s.doubt], isInside: s.chance.next() < 0.5 } },
    }),
  },
  {
    class: 'end_of_quoted_line',
    draft: (s) => ({
      above: [yesOf(s)],
      quote: { onLine: { line: s.chance.below(4), words: s.doubt } },
    }),
  },
  {
    class: 'below_quote',
    draft: (s) => ({ above: [yesOf(s)], quote: FULL, below: [s.pen.typed([s.doubt])] }),
  },
  {
    class: 'in_quote_container',
    fits: hasHtml,
    draft: (s) => ({ above: [yesOf(s)], quote: { inContainer: [s.doubt] } }),
  },
  {
    class: 'words_of_the_question',
    draft: (s) => {
      const lines = s.pen.setting.question.text.split('\n').map((line) => line.replace(/^[\s|>]+/, ''));
      const line = s.chance.of(lines.filter((one) => one !== '').slice(0, 8));
      return {
        above: [
          s.pen.typed(
            s.chance.of([
              [s.yes, '', `${line} ${s.doubt}`],
              [s.yes, '', line, s.doubt, line],
              [`"${line}"`, s.doubt, s.yes],
            ]),
          ),
        ],
        quote: FULL,
      };
    },
  },
];

const labelled: readonly Place[] = [
  {
    class: 'header_block',
    draft: (s) => {
      const { labels } = s.pen.setting.wording;
      const rows = [
        [labels.from, s.words.name],
        [labels.to, 'Carl'],
        [labels.subject, s.doubt],
      ].map((row) => row.join(labels.colon));
      return { above: [yesOf(s), s.pen.typed(rows)], quote: s.chance.next() < 0.5 ? FULL : null };
    },
  },
  {
    class: 'below_header_block',
    draft: (s) => {
      const { wording, moment, owner } = s.pen.setting;
      const { labels } = wording;
      const rows = [
        [labels.from, `${s.words.name} <${owner}>`],
        [labels.sent, `${moment.weekday}, ${moment.day} ${moment.month} ${moment.year} ${moment.time}`],
        [labels.to, 'Carl <carl@elsewhere.example>'],
        [labels.subject, 'Carl'],
      ].map((row) => row.join(labels.colon));
      return { above: [yesOf(s), s.pen.typed([...rows, '', s.doubt])], quote: s.chance.next() < 0.5 ? FULL : null };
    },
  },
  {
    class: 'below_short_header_block',
    draft: (s) => {
      const { labels } = s.pen.setting.wording;
      const rows = [
        [labels.from, s.words.name],
        [labels.to, 'Ada'],
        [labels.date, s.pen.setting.moment.weekday],
      ].map((row) => row.join(labels.colon));
      return { above: [yesOf(s), s.pen.typed([...rows, '', s.doubt])], quote: s.chance.next() < 0.5 ? FULL : null };
    },
  },
];

const is =
  (...ids: readonly string[]) =>
  ({ id }: Program) =>
    ids.includes(id);

const marked: readonly Place[] = [
  {
    class: 'html_gmail_signature',
    fits: is('Gmail web', 'Gmail app'),
    draft: (s) =>
      inside(
        '<div dir="ltr" class="gmail_signature" data-smartmail="gmail_signature">',
        '</div>',
        s.chance.next() < 0.5 ? '-- ' : '',
      )(s),
  },
  {
    class: 'html_id_signature',
    fits: is('Outlook web', 'new Outlook', 'Outlook iOS', 'Outlook Android'),
    draft: inside('<div id="Signature">', '</div>', ''),
  },
  {
    class: 'html_moz_signature',
    fits: is('Thunderbird top', 'Thunderbird Android'),
    draft: inside('<div class="moz-signature">-- <br>', '</div>', '-- '),
  },
  {
    class: 'html_program_signature',
    fits: (program) => hasHtml(program) && program.signature !== undefined,
    draft: (s) => ({ above: [yesOf(s), s.pen.signed([s.words.name, s.doubt])], quote: FULL }),
  },
  {
    class: 'html_append_on_send',
    fits: is('Outlook web', 'new Outlook', 'Outlook iOS', 'Outlook Android'),
    draft: inside('<div id="appendonsend">', '</div>', ''),
  },
  {
    class: 'html_apple_line_break',
    fits: is('Apple Mail', 'iPhone', 'iPad'),
    draft: inside('<br id="lineBreakAtBeginningOfMessage"><div dir="ltr">', '</div>', ''),
  },
  {
    class: 'html_blockquote',
    fits: hasHtml,
    draft: inside('<blockquote style="margin:0 0 0 40px;border:none;padding:0px">', '</blockquote>', ''),
  },
  {
    class: 'html_blockquote_cite',
    fits: hasHtml,
    draft: (s) => {
      const html = `<blockquote type="cite">${escaped(s.doubt)}</blockquote>`;
      return { above: [yesOf(s), { text: [`> ${s.doubt}`], html }], quote: FULL };
    },
  },
];

const inHtml = (text: readonly string[], html: string): Piece => ({ text, html });

const unseen: readonly Place[] = [
  {
    class: 'struck_yes',
    fits: hasHtml,
    draft: (s) => {
      const [open, close] = s.chance.of([
        ['<s>', '</s>'],
        ['<strike>', '</strike>'],
        ['<del>', '</del>'],
        ['<span style="text-decoration:line-through">', '</span>'],
      ] as const);
      const text = s.chance.of([[s.yes], [`~~${s.yes}~~`], [`-${s.yes}-`]]);
      const struck = inHtml(text, s.pen.program.line(`${open}${escaped(s.yes)}${close}`));
      return { above: [struck, s.pen.typed([s.doubt])], quote: FULL };
    },
  },
  {
    class: 'hidden_yes',
    fits: hasHtml,
    draft: (s) => {
      const style = s.chance.of(['display:none', 'font-size:0;line-height:0', 'visibility:hidden', 'opacity:0']);
      const hidden = inHtml(s.chance.of([[], [s.yes]]), `<div style="${style}">${escaped(s.yes)}</div>`);
      return { above: [hidden, s.pen.typed([s.doubt])], quote: FULL };
    },
  },
  {
    class: 'parts_disagree',
    fits: ({ parts }) => parts === 'alternative',
    draft: (s) => {
      const [yes, doubt] = [s.pen.typed([s.yes]), s.pen.typed([s.doubt])];
      const isTextYes = s.chance.next() < 0.5;
      const both = isTextYes ? inHtml(yes.text, doubt.html) : inHtml(doubt.text, yes.html);
      return { above: [both], quote: FULL };
    },
  },
  {
    class: 'second_text_part',
    draft: (s) => ({ above: [yesOf(s)], quote: FULL, secondPart: s.doubt }),
  },
];

const scripts: readonly Place[] = [
  {
    class: 'other_form_of_letters',
    shows: otherForm,
    draft: (s) => ({ above: [yesOf(s), s.pen.typed(s.chance.of([[s.doubt], ['--', s.doubt]]))], quote: FULL }),
  },
  {
    class: 'from_the_right',
    shows: (_doubt, chance) => chance.of(FROM_THE_RIGHT),
    draft: (s) => ({ above: [yesOf(s), s.pen.typed(s.chance.of([[s.doubt], ['--', s.doubt]]))], quote: FULL }),
  },
];

const STRUCK = ['<s>', '</s>'] as const;
const CROSSED = ['<span style="text-decoration:line-through">', '</span>'] as const;

/** A yes that its writer struck out or that nobody sees, and no other word: programs write it into the text part all the same. */
export const TAKEN_AWAY: Readonly<Record<string, (pen: Pen, yes: string) => Piece>> = {
  struck_yes_alone: (pen, yes) => inHtml([yes], pen.program.line(`${STRUCK[0]}${escaped(yes)}${STRUCK[1]}`)),
  crossed_yes_alone: (pen, yes) => inHtml([yes], pen.program.line(`${CROSSED[0]}${escaped(yes)}${CROSSED[1]}`)),
  hidden_yes_alone: (pen, yes) => inHtml([], `<div style="display:none">${escaped(yes)}</div>${pen.program.blank}`),
};

export const PLACES: readonly Place[] = [
  ...written,
  ...rules,
  ...ends,
  ...quoted,
  ...labelled,
  ...marked,
  ...unseen,
  ...scripts,
];
