import { personaFileOf } from '../../config/persona-file.ts';
import type { Configs, Persona } from '../../config/types.ts';
import { planChange } from '../../config/writing/change.ts';
import type { Setting } from '../../config/writing/settings.ts';
import { noticeOf, type OwnerMailDeps, writeInEach } from '../../delivery/notices/owner-mail.ts';
import { answerAddress, choices, inLine, reference } from '../../delivery/questions/approval-text.ts';
import { byLanguage } from '../../languages/owner-language.ts';
import { say } from '../../languages/say.ts';
import { sumOf } from '../../languages/sizes.ts';
import { dayOf, type ReaderLocale } from '../../languages/times.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import { derivedId } from '../../lib/ids.ts';
import { DAY_MS, HOUR_MS } from '../../lib/time.ts';
import { standingOf } from '../../mail/access.ts';
import type { LetterBlock } from '../../mail/compose/compose.ts';
import { switchable } from '../../queries/doctor/switched.ts';
import { weeklyMail } from '../../record/jobs/job-kinds.ts';
import { handleJobs, type JobHandler } from '../../record/jobs/jobs.ts';
import { endOfWeek, weeklyJobs, weeklyOf } from '../../record/jobs/weekly.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { UsageSum } from '../../storage/ports/runs.ts';
import { type Offered, SWITCHES, type Switch } from '../../storage/types/approvals.ts';
import type { NewSenderQuestion } from '../../storage/types/gateway.ts';
import type { Week } from '../../storage/types/week.ts';
import type { Workspace } from '../../workspace.ts';
import { buttonsOf, howToAnswer, linesOf, type SightOfRefused, seenOf } from '../refused/digest-mail.ts';
import { questionsAbout } from '../refused/write-digest.ts';

/** An hour that the clock is set by, on either side. */
const SLACK_MS = 2 * HOUR_MS;

/**
 * The one mail that owners get of a persona's week: what was answered, asked, refused, spent and learned, and what is off. It is
 * asked for by the first run of a week that answers, so a week in which nothing happens brings none. Its job is the purpose of the
 * mail: it is written once, wherever the process is ended.
 */
export function createWeeklyWriter(
  deps: OwnerMailDeps &
    SightOfRefused & {
      readonly gateway: Pick<GatewayStore, 'newlyRefused' | 'askAboutSenders' | 'senderQuestions'>;
      readonly pass: PassCrashPoint;
    },
): JobHandler {
  const { gateway, clock, ids, pass } = deps;
  return handleJobs(weeklyMail, async (persona, job, store) => {
    const { until } = job.payload;
    const configs = deps.configs();
    const settings = weeklyOf(persona, configs.system);
    const { owners } = persona;
    if (!settings.enabled || owners.length === 0) return store.endJob(job.id);
    const from = endOfWeek(settings, persona.timezone, until - 7 * DAY_MS - SLACK_MS);
    // Owners have chosen another day meanwhile.
    if (endOfWeek(settings, persona.timezone, until - 1) !== until) {
      await store.addJobs(weeklyJobs({ persona, system: configs.system }, clock.now()));
      return store.endJob(job.id);
    }
    const week = await store.week(from, until);
    const [spent] = await store.usage(from, until, null);
    const noticeId = derivedId(until, `${job.id} ${persona.id}`);
    const now = clock.now();
    const expires = now + configs.security.approvals.ttl_hours * HOUR_MS;
    const asked = await refusedOf({ gateway, configs, persona }, { noticeId, from, now, until: expires });
    await gateway.askAboutSenders(asked);
    pass('weekly.asked');
    const questions = await seenOf(await gateway.senderQuestions(noticeId), { ...deps, persona, store });
    const refused = await refusedIn(gateway, persona, { from, until });
    if (isEmpty(week) && questions.length === 0) return store.endJob(job.id);
    const switches = switchesOf(persona, configs, questions.length);
    const token = ids.random(16);
    const replyTo = answerAddress(persona, token);
    const mail = await writeInEach(deps, persona, await byLanguage(store, persona, owners), ({ language }) => {
      const place = { language, zone: persona.timezone };
      // The week ends at its last moment, and no day begins there.
      const days = { from: dayOf(from, place), to: dayOf(until - 1, place) };
      const subject = say(language, 'weekly.subject', { name: persona.name, ...days });
      const button = (label: string, body: string, isGo: boolean): LetterBlock =>
        choices(replyTo, subject, [{ label, tone: isGo ? 'go' : 'stop', body }]);
      return {
        kind: 'weekly',
        purpose: job.id,
        subject,
        namesItself: true,
        replyTo,
        headers: {},
        text: [
          ...storyOf(week, spent, place),
          ...(refused.mails === 0
            ? []
            : [
                heading(say(language, 'weekly.heads.refused')),
                text(say(language, 'weekly.refused', { mails: refused.mails, people: refused.people })),
              ]),
          ...(questions.length === 0
            ? []
            : [
                text(say(language, 'refusedSenders.unlisted')),
                ...questions.flatMap((one): LetterBlock[] => [
                  ...linesOf(one, language),
                  ...buttonsOf(one, language, { to: replyTo, subject }),
                ]),
                text(howToAnswer(questions, language)),
              ]),
          heading(say(language, 'weekly.heads.off')),
          ...switches.flatMap((one): LetterBlock[] => {
            const isOn = one.switch !== 'weekly_mail';
            const word = say(language, isOn ? 'weekly.words.on' : 'weekly.words.off');
            const label = say(language, isOn ? 'weekly.buttons.on' : 'weekly.buttons.off');
            return [
              text(`${one.number}. ${say(language, `weekly.can.${one.switch}`)}`),
              button(`${label} ${one.number}`, `${word} ${one.number}`, isOn),
            ];
          }),
          text(howOf(switches, language)),
          reference(token, language, true),
        ],
      };
    });
    const offered: Offered = { items: [...switches], until: expires };
    const notice = { ...noticeOf(deps, mail, token), id: noticeId, again_json: JSON.stringify(offered) };
    await store.sendNotice(notice, mail, job.id);
  });
}

const text = (words: string): LetterBlock => ({ kind: 'text', text: words });
const heading = (words: string): LetterBlock => ({ kind: 'heading', text: words });

const isEmpty = ({ answered, incomplete, tasks, asked, facts, playbooks }: Week): boolean =>
  answered + incomplete + tasks + asked.all + facts.count + playbooks === 0;

/** What was answered, asked, spent and learned; of what there was nothing nothing is said. Pure. */
function storyOf(week: Week, spent: UsageSum | undefined, { language }: ReaderLocale): readonly LetterBlock[] {
  const { answered, people, incomplete, unfinished, tasks, asked, facts, playbooks } = week;
  const tokens = (spent?.input ?? 0) + (spent?.output ?? 0);
  const usd = spent?.cost_usd ?? 0;
  return [
    heading(say(language, 'weekly.heads.answered')),
    text(say(language, 'weekly.answered', { mails: answered, people })),
    ...(incomplete > 0 ? [text(say(language, 'weekly.incomplete', { mails: incomplete }))] : []),
    ...unfinished.map(
      ({ from, subject }): LetterBlock => ({ kind: 'said', text: `${inLine(from, 60)}: ${inLine(subject, 120)}` }),
    ),
    ...(tasks > 0 ? [text(say(language, 'weekly.tasks', { count: tasks }))] : []),
    ...(asked.all > 0
      ? [
          heading(say(language, 'weekly.heads.asked')),
          text(say(language, 'weekly.asked', { count: asked.all, yes: asked.yes, no: asked.no, open: asked.open })),
          ...(asked.words > 0 ? [text(say(language, 'weekly.inWords', { count: asked.words }))] : []),
        ]
      : []),
    heading(say(language, 'weekly.heads.spent')),
    text(
      usd > 0 || tokens === 0
        ? say(language, 'weekly.spent', { usd: sumOf(usd, language) })
        : say(language, 'weekly.spentTokens', { tokens: new Intl.NumberFormat(language).format(tokens) }),
    ),
    ...(facts.count + playbooks > 0 ? [heading(say(language, 'weekly.heads.learned'))] : []),
    ...(facts.count > 0 ? [text(say(language, 'weekly.facts', { count: facts.count }))] : []),
    ...facts.newest.map((fact): LetterBlock => ({ kind: 'said', text: inLine(fact, 200) })),
    ...(playbooks > 0 ? [text(say(language, 'weekly.playbooks', { count: playbooks }))] : []),
  ];
}

function howOf(switches: readonly Switch[], language: ReaderLocale['language']): string {
  const [first] = switches;
  const last = switches.at(-1)?.number ?? 1;
  const off = say(language, 'weekly.howOff', { answer: `${say(language, 'weekly.words.off')} ${last}` });
  if (first === undefined || switches.length < 2) return off;
  return `${say(language, 'weekly.howOn', { answer: `${say(language, 'weekly.words.on')} ${first.number}` })} ${off}`;
}

/** So many refusals are counted, the newest. */
const MOST_REFUSED = 10_000;

/** How much mail of the persona was refused within the week, and of how many addresses. */
async function refusedIn(
  gateway: SightOfRefused['gateway'],
  { id: persona }: Persona,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<{ readonly mails: number; readonly people: number }> {
  const rows = await gateway.listReceived({ persona, decision: 'refused', since: from, limit: MOST_REFUSED });
  const within = rows.filter(({ received_at: at }) => at < until);
  return { mails: within.length, people: new Set(within.map(({ from_address: address }) => address)).size };
}

/** Whoever wrote for the first time within the week and is let in by nobody yet, as in the mail of the day. */
async function refusedOf(
  {
    gateway,
    configs,
    persona,
  }: { gateway: Pick<GatewayStore, 'newlyRefused'>; readonly configs: Configs; readonly persona: Persona },
  question: { readonly noticeId: string; readonly from: number; readonly now: number; readonly until: number },
): Promise<readonly NewSenderQuestion[]> {
  // Nothing could be taken in.
  if (configs.security.quarantine_days === 0) return [];
  const rows = (await gateway.newlyRefused(question.from)).filter(
    ({ persona_id: id, code, from_address: sender }) =>
      id === persona.id &&
      code === 'sender_not_allowed' &&
      standingOf(sender, persona, configs.security.gateway_access) === null,
  );
  return questionsAbout(rows, question);
}

/** What a word of an owner can switch, numbered behind the senders; the mail itself comes last. Pure. */
function switchesOf(persona: Persona, configs: Configs, before: number): readonly Switch[] {
  const can = switchable(persona, configs);
  return SWITCHES.filter((name) => can[name]).map((name, index) => ({ switch: name, number: before + index + 1 }));
}

/** An owner decides about this persona: another one stays as it is. */
const SETTINGS: Readonly<Record<Switch['switch'], readonly Omit<Setting, 'file'>[]>> = {
  recall: [{ path: ['memory', 'recall'], to: true }],
  facts: [{ path: ['memory', 'facts'], to: true }],
  summarise: [{ path: ['inference', 'stages', 'summarise'], to: {} }],
  learning: [
    { path: ['learning', 'enabled'], to: true },
    { path: ['learning', 'max_mode'], to: 'assisted' },
  ],
  learning_more: [{ path: ['learning', 'max_mode'], to: 'policy' }],
  delegation: [{ path: ['delegation', 'enabled'], to: true }],
  weekly_mail: [{ path: ['weekly_mail', 'enabled'], to: false }],
};

/** Writes it into the file of the persona. False: it cannot be changed. The same a second time changes nothing. */
export function switchOver(
  { root, live, log }: Pick<Workspace, 'root' | 'live' | 'log'>,
  persona: string,
  name: Switch['switch'],
): boolean {
  try {
    const file = personaFileOf(persona);
    planChange(root, { settings: SETTINGS[name].map((one) => ({ ...one, file })) }).write();
    live.lookAtPersona(persona);
    return true;
  } catch (error) {
    log.error({ persona, error: String(error) }, 'what an owner wants switched could not be written down');
    return false;
  }
}
