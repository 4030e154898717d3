import { offerOf, toolsQuestion } from '../../../engine/app/pins/question-mail.ts';
import { refusedDigest } from '../../../engine/app/refused/digest-mail.ts';
import { news } from '../../../engine/app/telling/news.ts';
import { pinsOf } from '../../../engine/extensions/pins/difference.ts';
import { canonicalJson } from '../../../engine/lib/json.ts';
import { outageOver, slowedDown, weeklyMail } from '../../../engine/record/jobs/job-kinds.ts';
import { inEach, notice } from '../../../engine/record/jobs/notice-job.ts';
import { endOfWeek, weeklyOf } from '../../../engine/record/jobs/weekly.ts';
import { BOB, CLEAN_UP, calling, held, type Kind, OWNER, request, TO_CAROL } from './kind.ts';
import type { MailOffice } from './office.ts';

// What follows an answer, what others are sent in somebody's name, and what owners hear once a day, a week or an upgrade.

type Say = Parameters<Kind['happens']>[1];

const languageOf = (say: Say) => (say({ en: 'en', de: 'de' }) === 'de' ? ('de' as const) : ('en' as const));

const ok: Kind['model'] = () => ({ text: 'OK.' });
const NOW = { security: { approvals: { answer: 'now' } } };
const LETS_IN = { persona: { access: { allow: ['*@member.example'] } } };
const TWO_THINGS = calling([
  { name: 'send_email', args: TO_CAROL },
  { name: 'delete_file', args: { path: 'notes/old.md' } },
]);

const twoThings: Kind['happens'] = async (office, say) => {
  office.put('notes/old.md', 'Old.\n');
  await office.rig.answer({ ...BOB, ...request(say, CLEAN_UP) });
  await office.work();
};

const MEETING = {
  to: ['carol@test.local'],
  title: 'Pumpenbestellung: Lieferbedingungen und Zahlungsfristen',
  start: '2100-03-02T10:00',
  duration_min: 45,
  note: 'Bring the offer.',
};
const allows = (...tools: readonly string[]) => ({
  ...LETS_IN,
  security: { tool_policy: { tools: Object.fromEntries(tools.map((tool) => [tool, 'allow'])) } },
});

/** The Message-ID of what was sent to Carol. */
async function sentToCarol(office: MailOffice): Promise<string> {
  const [first] = await office.written('reply', 'carol@test.local');
  return /^Message-ID: (<[^>]+>)/im.exec(first?.toString('latin1') ?? '')?.[1] ?? '';
}

const carolAnswers: Kind['happens'] = async (office, say) => {
  await held(office, say);
  const text = say({
    en: 'Thank you, twelve suits me. I bring Dave.\n\nCarol',
    de: 'Danke, zwölf passt mir gut. Ich bringe Dave mit.\n\nCarol',
  });
  const inReplyTo = await sentToCarol(office);
  await office.rig.answer({ from: 'carol@test.local', name: 'Carol Stein', tier: 'known', inReplyTo, text });
  await office.work();
};

const STRANGERS = [
  { sender: 'vertrieb@pumpen-und-rohrleitungsbau-lindenhagen.example', code: 'sender_not_allowed', mails: 3 },
  { sender: 'sara@elsewhere.example', code: 'sender_not_allowed', mails: 1 },
  { sender: 'rechnung@unproven.example', code: 'auth_failed', mails: 1 },
] as const;
const SUBJECTS = ['Rahmenvereinbarung über Instandhaltungsleistungen 2027', 'عرض الأسعار الجديد', 'Invoice 4711'];

async function askAboutStrangers(office: MailOffice, id: string): Promise<void> {
  const now = office.rig.clock.now();
  await office.rig.gateway.askAboutSenders(
    STRANGERS.map((one, index) => ({
      ...one,
      notice_id: id,
      number: index + 1,
      persona_id: 'ada',
      subject: SUBJECTS[index] ?? '',
      asked_at: now,
      until: now + 7 * 86_400_000,
    })),
  );
}

const digest: Kind['happens'] = async (office) => {
  await askAboutStrangers(office, 'digest');
  const payload = { to: OWNER, notice_id: 'digest', is_answerable: true, unlisted: 4, unproven: 1 };
  const job = refusedDigest.job({ id: 'digest', due_at: office.rig.clock.now(), payload });
  await office.rig.withStore((store) => store.addJobs([job]));
  await office.work();
};

const week: Kind['happens'] = async (office, say) => {
  const { rig } = office;
  await held(office, say);
  await rig.answer({
    from: OWNER,
    name: 'Olga Berg',
    tier: 'owner',
    subject: say({ en: 'Table', de: 'Tisch' }),
    text: say({ en: 'What does the oak table cost?', de: 'Was kostet der Tisch aus Eiche, und wie lange dauert es?' }),
  });
  const settings = weeklyOf(rig.persona, rig.configs.system);
  const until = endOfWeek(settings, rig.persona.timezone, rig.clock.now());
  rig.time.now = until;
  const job = weeklyMail.job({ id: `weekly_mail:${until}`, due_at: until, payload: { until } });
  await rig.withStore((store) => store.addJobs([job]));
  await office.work();
};

const WIKI = [
  {
    name: 'seiten-durchsuchen',
    description:
      'Searches all pages of the wiki and gives the first ten, with their addresses.\nUse it before you answer.',
    inputSchema: {
      type: 'object',
      properties: { suchbegriff: { type: 'string', description: 'What to look for.' }, limit: { type: 'integer' } },
      required: ['suchbegriff'],
    },
    onlyReads: true,
    destroys: false,
  },
  {
    name: 'page_delete',
    description: 'Deletes a page.',
    inputSchema: { type: 'object' },
    onlyReads: false,
    destroys: true,
  },
] as const;

const tools: Kind['happens'] = async (office) => {
  const now = office.rig.clock.now();
  const asked = { notice_id: 'tools', persona_id: 'ada', server: 'wiki', asked_at: now, until: now + 7 * 86_400_000 };
  await office.rig.gateway.askAboutTools({ ...asked, ...offerOf(pinsOf(WIKI as never)) });
  const job = toolsQuestion.job({ id: 'tools', due_at: now, payload: { notice_id: 'tools', to: [OWNER] } });
  await office.rig.withStore((store) => store.addJobs([job]));
  await office.work();
};

/** As `noticeTo` mails it. */
const upgraded: Kind['happens'] = async (office) => {
  const { rig } = office;
  const setting = async () => 'whole_answers,own_words,standing_rules,switched_on';
  const live = { current: () => rig.configs };
  const part = await news({ workspace: { gateway: { setting }, live } } as never);
  if (part === null) throw new Error('nothing is new');
  const words = inEach(rig.persona.language, part.words);
  const payload = part.offers === undefined ? words : { ...words, again: part.offers };
  const job = notice.job({ id: part.id, due_at: rig.clock.now(), payload });
  await rig.withStore((store) => store.addJobs([job]));
  await office.work();
};

const tooFast: Kind['happens'] = async (office, say) => {
  const payload = {
    said: 'later' as const,
    sender: BOB.from,
    to: BOB.from,
    thread_id: null,
    subject: say({ en: 'Send note to Carol', de: 'Notiz an Carol' }),
    language: languageOf(say),
    message_id: '<fast@member.example>',
    references: [],
    in_reply_to: [],
  };
  const job = slowedDown.job({ id: 'slowed', due_at: office.rig.clock.now(), payload });
  await office.rig.withStore((store) => store.addJobs([job]));
  await office.work();
};

const over: Kind['happens'] = async (office) => {
  const now = office.rig.clock.now();
  const payload = {
    code: 'provider_unavailable' as const,
    window: '1',
    provider: 'Anthropic',
    to: [OWNER],
    since: now,
  };
  await office.rig.withStore((store) => store.addJobs([outageOver.job({ id: 'over', due_at: now, payload })]));
  await office.work();
};

const ASKED_OF_OWNER = 'هل يجوز لي أن أعرض على كلارا خصماً بنسبة 5 %؟';
const ARABIC_REQUEST = {
  subject: 'المذكرة القديمة',
  text: 'مرحباً آدا، اكتبي إلى كارول أن الغداء الساعة 12، واحذفي المذكرة القديمة notes/old.md. رقمي +49 171 555 0142.',
};

const twoThingsInArabic: Kind['happens'] = async (office) => {
  office.put('notes/old.md', 'Old.\n');
  await office.rig.answer({ ...BOB, ...ARABIC_REQUEST });
  await office.work();
};

const carolAnswersInArabic: Kind['happens'] = async (office) => {
  await office.rig.answer({ ...BOB, ...ARABIC_REQUEST });
  const text = 'شكراً، الساعة 12 تناسبني. هاتفي الجديد +49 171 555 0142.\n\nكارول';
  const inReplyTo = await sentToCarol(office);
  await office.rig.answer({ from: 'carol@test.local', name: 'كارول', tier: 'known', inReplyTo, text });
  await office.work();
};

/** What people, servers and the model wrote in these: it stands in every mail as it is. */
export const SAID_BY_OTHERS: readonly string[] = [
  ...[MEETING.title, MEETING.note, ASKED_OF_OWNER, ARABIC_REQUEST.subject, ARABIC_REQUEST.text, ...SUBJECTS],
  ...STRANGERS.map(({ sender, mails }, at) => `${at + 1}. ${sender} → Ada${mails > 1 ? ` (${mails})` : ''}`),
  ...WIKI.flatMap(({ description, inputSchema }) => [...description.split('\n'), canonicalJson(inputSchema)]),
];

export const FURTHER: readonly Kind[] = [
  {
    name: 'follow-up-arabic',
    kind: 'reply',
    to: BOB.from,
    options: NOW,
    model: TWO_THINGS,
    happens: async (office) => {
      await twoThingsInArabic(office, ({ en }) => en);
      await office.decide('approved');
    },
  },
  {
    name: 'relay-arabic',
    kind: 'relay',
    options: allows('send_email'),
    model: calling([{ name: 'send_email', args: TO_CAROL }]),
    happens: carolAnswersInArabic,
  },
  {
    name: 'question-arabic',
    kind: 'clarify',
    model: calling([{ name: 'ask_owner', args: { question: ASKED_OF_OWNER } }]),
    happens: twoThingsInArabic,
  },
  {
    name: 'answered-and-waits',
    kind: 'reply',
    to: BOB.from,
    options: NOW,
    model: TWO_THINGS,
    happens: twoThings,
  },
  {
    name: 'follow-up',
    kind: 'reply',
    to: BOB.from,
    options: NOW,
    model: TWO_THINGS,
    happens: async (office, say) => {
      await twoThings(office, say);
      await office.decide('approved');
    },
  },
  {
    name: 'sent-for-somebody',
    kind: 'reply',
    to: 'carol@test.local',
    options: allows('send_email'),
    model: calling([{ name: 'send_email', args: TO_CAROL }]),
    happens: held,
  },
  {
    name: 'invitation',
    kind: 'reply',
    to: 'carol@test.local',
    options: allows('invite'),
    model: calling([{ name: 'invite', args: MEETING }]),
    happens: held,
  },
  { name: 'approval-invitation', kind: 'approval', model: calling([{ name: 'invite', args: MEETING }]), happens: held },
  {
    name: 'relay',
    kind: 'relay',
    options: allows('send_email'),
    model: calling([{ name: 'send_email', args: TO_CAROL }]),
    happens: carolAnswers,
  },
  { name: 'refused-digest', kind: 'notice', model: ok, happens: digest },
  {
    name: 'weekly',
    kind: 'weekly',
    options: { persona: { weekly_mail: { enabled: true } } },
    model: ok,
    happens: week,
  },
  { name: 'tools-of-a-server', kind: 'notice', model: ok, happens: tools },
  { name: 'upgrade', kind: 'notice', model: ok, happens: upgraded },
  { name: 'slowed-down', kind: 'wait', model: ok, happens: tooFast },
  { name: 'outage-over', kind: 'notice', model: ok, happens: over },
];
