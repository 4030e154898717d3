import { call, type Model } from '../harness/rig.ts';
import { BOB, CLEAN_UP, calling, held, type Kind, OWNER, request, TO_CAROL } from './kind.ts';

export const REPLY = `The **offer** stands at https://example.com/offers/2026?id=42, and these are the figures:

| Model | Price | Weight |
| --- | ---: | ---: |
| Mini | 2,790 EUR | 21 kg |
| Lasta | 3,290 EUR | 34 kg |

1. Check the *load*
2. Order by Friday

> Delivery takes six weeks.

\`\`\`
total = 2790 + 3290
\`\`\``;

export const ARABIC = `أهلاً سارة،

العرض **جاهز**، وهذه هي الأسعار:

| الطراز | السعر |
| --- | ---: |
| Mini | 2,790 EUR |
| Lasta | 3,290 EUR |

1. راجعي *الكمية*
2. اطلبي قبل يوم الجمعة

تجدين الملف هنا: https://example.com/offers/2026/

هاتفنا +49 171 555 0142، والحساب DE89 3704 0044 0532 0130 00، والموعد 2026-12-04 الساعة 10:30، والمبلغ 1.234,50 EUR إلى carol@test.local.`;

export const ASKED_IN_ARABIC = 'مرحباً، هل يمكنكم إرسال عرض الأسعار الجديد إليّ اليوم؟ شكراً لكم.';

const inArabic: Kind['happens'] = async (office) => {
  await office.rig.answer({
    ...BOB,
    subject: 'عرض الأسعار',
    text: ASKED_IN_ARABIC,
  });
  await office.work();
};

const isGerman = (text: string): boolean => /\b(?:bitte|dass|und)\b/i.test(text);

/** The same in two turns, in the language of the mail. */
const saying =
  (calls: Parameters<typeof calling>[0], words: { en: string; de: string }): Model =>
  (asked, ...more) =>
    calling(calls, isGerman(asked.input.text) ? words.de : words.en)(asked, ...more);

const allowed = (...tools: readonly string[]) => ({
  security: { tool_policy: { tools: Object.fromEntries(tools.map((tool) => [tool, 'allow'])) } },
});

const FILES = Array.from({ length: 15 }, (_, index) => ({
  name: 'write_file',
  args: {
    path: `reports/2026/week-${index + 30}-with-all-figures-of-the-warehouse.md`,
    content: `Week ${index + 30}\n`,
  },
}));

const COSTS = {
  en: {
    subject: 'Costs',
    text: 'Please tell me what the parts cost in September, and what the table says of October.',
  },
  de: { subject: 'Kosten', text: 'Bitte sag mir, was die Teile im September und im Oktober gekostet haben.' },
};

/** Reads the table first, then answers with what it rests on; the second figure stands in no cell. */
const withSources: Model = ({ messages, input }) => {
  if (!messages.some(({ role }) => role === 'tool'))
    return { toolCalls: [call('r', 'read_file', { path: 'costs.csv' })] };
  const text = isGerman(input.text)
    ? 'Im September waren es 37.890,10 EUR [1], im Oktober 13.000 EUR [2].'
    : 'September came to 37,890.10 EUR [1], October to 13,000 EUR [2].';
  const figure = (shown: string, cell: string) => ({ shown, from: 'costs.csv', cells: [cell] });
  const [september, october] = isGerman(input.text) ? ['37.890,10', '13.000'] : ['37,890.10', '13,000'];
  const figures = [figure(september, 'September/parts'), figure(october, 'Oktober/parts')];
  return { toolCalls: [call(`a${messages.length}`, 'answer', { text, figures })] };
};

export const REPLIES: readonly Kind[] = [
  {
    name: 'reply-arabic',
    kind: 'reply',
    options: allowed('send_email'),
    model: calling([{ name: 'send_email', args: TO_CAROL }], ARABIC),
    happens: inArabic,
  },
  {
    name: 'approval-arabic',
    kind: 'approval',
    model: calling([{ name: 'send_email', args: { ...TO_CAROL, subject: 'عرض الأسعار', body: ARABIC } }]),
    happens: inArabic,
  },
  {
    name: 'approval-table',
    kind: 'approval',
    model: calling([{ name: 'send_email', args: { ...TO_CAROL, subject: 'The offer', body: REPLY } }]),
    happens: held,
  },
  {
    name: 'reply',
    kind: 'reply',
    model: () => ({ text: REPLY }),
    happens: async (office, say) => {
      await office.rig.answer({
        ...BOB,
        subject: 'Offer',
        text: say({
          en: 'Hello Ada, what does the offer say about the two models? Thank you and best regards, Bob',
          de: 'Hallo Ada, was steht im Angebot über die beiden Modelle? Vielen Dank und viele Grüße, Bob',
        }),
      });
    },
  },
  {
    name: 'reply-done',
    kind: 'reply',
    options: allowed('send_email'),
    model: saying([{ name: 'send_email', args: TO_CAROL }], {
      en: 'I have told Carol.',
      de: 'Ich habe Carol Bescheid gesagt.',
    }),
    happens: held,
  },
  {
    name: 'reply-denied',
    kind: 'reply',
    model: saying([{ name: 'send_email', args: TO_CAROL }], {
      en: 'I could not tell Carol, please do it yourself.',
      de: 'Ich konnte Carol nicht schreiben; bitte sag es ihr selbst.',
    }),
    happens: async (office, say) => {
      await held(office, say);
      await office.decide('rejected', say({ en: 'Carol is on leave until Monday.', de: 'Carol hat bis Montag frei.' }));
    },
  },
  {
    name: 'reply-many',
    kind: 'reply',
    options: allowed('write_file'),
    model: saying(FILES, { en: 'The reports are there.', de: 'Die Berichte sind da.' }),
    happens: held,
  },
  {
    name: 'reply-partial',
    kind: 'reply',
    options: { ...allowed('delete_file', 'write_file'), inference: { max_tool_turns: 1 } },
    model: ({ messages, input }) => ({
      text: isGerman(input.text) ? 'Die erste Notiz ist gelöscht.' : 'The first note is deleted.',
      toolCalls: messages.some(({ role }) => role === 'tool')
        ? [call('c2', 'delete_file', { path: 'notes/older.md' })]
        : [call('c1', 'delete_file', { path: 'notes/old.md' })],
    }),
    happens: async (office, say) => {
      office.put('notes/old.md', 'Old.\n');
      office.put('notes/older.md', 'Older.\n');
      await office.rig.answer({ ...BOB, ...request(say, CLEAN_UP) });
    },
  },
  {
    name: 'reply-sources',
    kind: 'reply',
    model: withSources,
    happens: async (office, say) => {
      office.put('costs.csv', 'month;parts\nAugust;41.200,00\nSeptember;37.890,10\nOktober;12.000,00\n');
      await office.rig.answer({ from: OWNER, name: 'Olga Berg', tier: 'owner', ...request(say, COSTS) });
    },
  },
];
