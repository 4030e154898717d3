import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParsedMail, simpleParser } from 'mailparser';
import { expect, vi } from 'vitest';
import { localTime } from '../../../engine/lib/schedule/zone.ts';
import { shiftedEnvironment } from '../../dates/shift.ts';
import { startMcpServer } from '../../fakes/mcp-http-server.ts';
import type { McpScript } from '../../fakes/mcp-script.ts';
import { type FakeModel, startFakeModel } from '../../fakes/model-server.ts';
import { run } from '../../flow/command-line.ts';
import { epistleAlone, type Program } from '../../flow/gateway.ts';
import { STEADY } from '../../flow/workspace.ts';
import { DOVECOT_HOST } from '../../lab/dovecot.ts';
import { startMailServers } from '../../lab/mail-servers.ts';
import { DOMAIN, mailboxOf, makeSite, PASSWORD, STAMP } from '../../lab/site.ts';
import { DIARY } from './diary.ts';
import { startNetwork } from './network.ts';
import { type Between, INSTEAD, type Mood, OLD_MODEL, RETIRED, will } from './vendor.ts';

export const ZONE = 'Europe/Berlin';
export const [ADA, BEN, CLEO] = [`ada@${DOMAIN}`, `ben@${DOMAIN}`, `cleo@${DOMAIN}`];
export const PEOPLE = {
  olga: `Olga Ohm <olga@${DOMAIN}>`,
  bob: `Bob Brand <bob@${DOMAIN}>`,
  carol: `Carol Cole <carol@${DOMAIN}>`,
  dora: `Dora Dunn <dora@${DOMAIN}>`,
  dave: `Dave Drew <dave@${DOMAIN}>`,
} as const;
export type Who = keyof typeof PEOPLE;
export const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;

const DAY_MS = 86_400_000;

export type Office = Awaited<ReturnType<typeof openWeek>>;

/** An office of three, its mail servers, vendor, proxy and diary, on the Sunday before. */
export async function openWeek() {
  const home = mkdtempSync(join(tmpdir(), 'epistle-week-'));
  chmodSync(home, 0o755);
  const clockFile = join(home, 'clock');
  const monday = mondayAfter(Date.now());
  const time = { shiftMs: 0, environment: {} as Record<string, string>, label: 'Sunday' };
  const now = () => Date.now() + time.shiftMs;
  /** `at`: such as 09:00 of that day, on the office's wall. Servers follow at once; the gateway with its next start. */
  function move(day: number, at: string): void {
    const date = localTime(ZONE, monday + day * DAY_MS).slice(0, 10);
    const shifted = shiftedEnvironment({ at: `${date}T${at}`, zone: ZONE }, {}, Date.now());
    time.environment = shifted as Record<string, string>;
    time.shiftMs = Number(shifted.FAKETIME) * 1000;
    time.label = `${DAYS[day]}, ${at}`;
    writeFileSync(clockFile, `${shifted.FAKETIME}\n`);
    chmodSync(clockFile, 0o644);
  }
  move(0, '08:30');

  const mood: Mood = { retired: false };
  const between: { now: Between } = { now: 'open' };
  const counted = { calls: 0, input: 0, output: 0 };
  const counting =
    (model: typeof will): Parameters<typeof startFakeModel>[1] =>
    (request) => {
      const turn = model(request, mood);
      if (turn.status !== undefined || turn.overflow) return turn;
      const usage = { input: Math.ceil(request.raw.length / 4), output: 20 };
      counted.calls += 1;
      counted.input += usage.input;
      counted.output += usage.output;
      return { ...turn, usage };
    };
  const key = 'key-of-the-office';
  const model: FakeModel = await startFakeModel('anthropic', counting(will));
  const others: FakeModel = await startFakeModel('openai', counting(will));
  const gone = (name: keyof typeof RETIRED, old: string) => ({
    baseUrl: others.baseUrl.replace('/v1', ''),
    instead: (body: string) => (mood.retired && body.includes(`"${old}"`) ? RETIRED[name] : null),
  });
  const network = await startNetwork(
    {
      'api.vendor.test': { baseUrl: model.baseUrl, instead: () => null },
      'api.mistral.test': gone('mistral', 'mistral-tiny'),
      'api.hosted.test': gone('hosted', 'small-1'),
    },
    () => (between.now === 'open' ? null : INSTEAD[between.now]),
  );
  const diaryFile = join(home, 'diary.json');
  const say = (script: McpScript) => writeFileSync(diaryFile, JSON.stringify(script));
  say(DIARY);
  const diary = await startMcpServer(diaryFile, { lost: 404 });

  const { LD_PRELOAD = '' } = time.environment;
  const lab = await startMailServers({
    users: Object.fromEntries(['agents', ...Object.keys(PEOPLE)].map((user) => [user, PASSWORD])),
    domain: DOMAIN,
    aliases: Object.fromEntries(['ada', 'ben', 'cleo'].map((name) => [name, 'agents'])),
    stamp: STAMP,
    environment: {
      LD_PRELOAD,
      FAKETIME_TIMESTAMP_FILE: clockFile,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  const provider = (name: string) => ({
    [`extensions/providers/${name}/manifest.json`]: { ...STEADY['extensions/providers/steady/manifest.json'], name },
  });
  const persona = (name: string, address: string, more: object = {}) => ({
    name,
    address,
    timezone: ZONE,
    access: { allow: [`bob@${DOMAIN}`, `carol@${DOMAIN}`] },
    ...more,
  });
  const site = makeSite(lab, {
    mailboxes: [mailboxOf(lab, 'agents')],
    gateway: { limits: { max_message_bytes: 2_000_000 } },
    personas: {
      ada: persona('Ada', ADA),
      ben: persona('Ben', BEN, { inference: { provider: 'mistral', model: 'mistral-tiny' } }),
      cleo: persona('Cleo', CLEO, { inference: { provider: 'hosted', model: 'small-1' } }),
    },
    files: {
      ...provider('mistral'),
      ...provider('hosted'),
      '.env': `ANTHROPIC_API_KEY=${key}\n`,
      'configs/system.json': {
        console: { enabled: false },
        log: { level: 'info', format: 'json' },
        // One after the other, so that their order can be seen, and each with an answer of its own, by which it is accounted for.
        dispatch: { max_runs_per_persona: 1, answer_together: false },
      },
      'configs/inference.json': {
        provider: 'anthropic',
        model: OLD_MODEL,
        retry: { first_retry_s: 1, max_retry_s: 3 },
        prices: { 'mistral/mistral-tiny': { input: 0.1, output: 0.3 }, 'hosted/small-1': { input: 0.1, output: 0.3 } },
      },
      'configs/security.json': {
        owners: [`olga@${DOMAIN}`],
        gateway_auth: { trusted_received: [DOVECOT_HOST], dns_servers: [lab.dns] },
        approvals: { batch_window_s: 0 },
      },
      'extensions/extensions.json': {
        providers: [
          { name: 'anthropic', config: { base_url: 'http://api.vendor.test' } },
          { name: 'mistral', config: { base_url: 'http://api.mistral.test/v1' } },
          { name: 'hosted', config: { base_url: 'http://api.hosted.test/v1' } },
        ],
        mcp: [{ name: 'diary', url: `${diary.baseUrl}/mcp`, tools: { risk: { look_up: 'read' } } }],
      },
    },
  });
  const { root } = site.workspace;
  const environment = () => ({ LAB_PASSWORD: PASSWORD, ...time.environment, ...network.environment });

  chmodSync(join(root, '.env'), 0o600);

  const running: { gateway: Program | null; logs: string } = { gateway: null, logs: '' };
  const letters: Letter[] = [];
  const parsed = new Map<string, Promise<ParsedMail>>();
  /** What lies in somebody's mailbox now; what was read before stays as it is. */
  const inbox = async (user: string): Promise<ParsedMail[]> =>
    Promise.all(
      (await lab.read(user)).map(({ uid, raw }) => {
        const known = parsed.get(`${user} ${uid}`) ?? simpleParser(raw);
        parsed.set(`${user} ${uid}`, known);
        return known;
      }),
    );
  return {
    root,
    lab,
    site,
    mood,
    between,
    counted,
    network,
    diary,
    say,
    letters,
    now,
    inbox,
    label: () => time.label,
    /** The machine is switched on, at this hour. */
    async begin(day: number, at: string): Promise<void> {
      if (running.gateway !== null) {
        await running.gateway.stop();
        running.logs += running.gateway.log();
      }
      move(day, at);
      running.gateway = await site.launch({ NODE_ENV: 'production', ...environment() }).ready;
      expect(running.gateway.ready.mailboxes).toHaveLength(1);
    },
    /** How often the diary was asked for a word. */
    called: (word: string): number =>
      existsSync(`${diaryFile}.calls`) ? readFileSync(`${diaryFile}.calls`, 'utf8').split(`"${word}"`).length - 1 : 0,
    /** A command as its user sees it. */
    async printed(...args: string[]): Promise<string> {
      const { stdout, stderr } = await run(args, { cwd: root, environment: environment() });
      return `${stdout}${stderr}`;
    },
    /** Of all gateways of the week. */
    log: () => `${running.logs}${running.gateway?.log() ?? ''}`,
    command: (...args: string[]) => epistleAlone(root, args, { environment: environment() }),
    /** Somebody writes; resolves with the Message-ID when the provider has it. */
    async write(from: Who, subject: string, text: string, more: Partial<Letter> = {}): Promise<Letter> {
      const letter: Letter = { id: `<${letters.length + 1}.${from}@${DOMAIN}>`, from, to: ADA, subject, text, ...more };
      letters.push(letter);
      await lab.deliver(rawOf(letter, now()), { from: `${from}@${DOMAIN}`, to: letter.to });
      return letter;
    },
    /** What has come for somebody in answer to this letter. */
    async answersTo({ id, from }: Letter): Promise<ParsedMail[]> {
      return (await inbox(from)).filter(({ inReplyTo }) => inReplyTo === id);
    },
    /** The subjects of these letters to a persona as they came, or as they were answered. */
    async order(persona: string, letters: readonly Letter[], by: 'arrival' | 'answer' = 'answer'): Promise<string[]> {
      const mine = letters.filter(({ to }) => to === `${persona}@${DOMAIN}`);
      const ids =
        by === 'arrival' ? site.runs(persona).map(({ message_id: id }) => id) : answered(site.outbox(persona));
      return ids.flatMap((id) => mine.filter((letter) => letter.id === id).map(({ subject }) => subject));
    },
    /** Once what `look` expects is so. */
    until: <Found>(look: () => Found | Promise<Found>, timeout = 40_000): Promise<Found> =>
      vi.waitFor(look, { timeout, interval: 150 }),
    async close() {
      const mine = new Set([...processesWith(clockFile), String(running.gateway?.process.pid)]);
      await site.close();
      await lab.stop();
      await Promise.all([model.stop(), others.stop(), network.stop(), diary.stop()]);
      rmSync(home, { recursive: true, force: true });
      await forgetClocks(mine);
    },
  };
}

/** What replies are to, in their order. */
const answered = (outbox: ReturnType<ReturnType<typeof makeSite>['outbox']>): string[] =>
  outbox.filter(({ kind }) => kind === 'reply').map(({ in_reply_to: id }) => id);

export interface Letter {
  readonly id: string;
  readonly from: Who;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly answers?: Pick<ParsedMail, 'messageId'>;
  readonly headers?: readonly string[];
  /** What becomes of it; not set: it is answered, once. */
  readonly fate?: 'decision' | 'recorded';
}

function rawOf({ id, from, to, subject, text, answers, headers = [] }: Letter, now: number): string {
  const { messageId } = answers ?? {};
  return [
    `Message-ID: ${id}`,
    `Date: ${new Date(now).toUTCString()}`,
    `From: ${PEOPLE[from]}`,
    `To: ${to}`,
    `Subject: ${subject}`,
    ...(messageId ? [`In-Reply-To: ${messageId}`, `References: ${messageId}`] : []),
    ...['MIME-Version: 1.0', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', ...headers],
    '',
    ...text.split('\n'),
    '',
  ].join('\r\n');
}

/** The first moment of the next Monday of the office that is at least a day away: its clock goes ahead of ours, never behind. */
function mondayAfter(now: number): number {
  const days = Array.from({ length: 8 }, (_, at) => now + (at + 1) * DAY_MS);
  const weekday = (at: number) => new Date(`${localTime(ZONE, at).slice(0, 10)}T12:00:00Z`).getUTCDay();
  return days.find((at) => weekday(at) === 1) ?? now;
}

const CLOCKS = '/dev/shm';
const clocks = () =>
  readdirSync(CLOCKS).flatMap((name) => {
    const pid = /^(?:sem\.)?faketime_(?:shm|sem)_(\d+)$/.exec(name)?.[1];
    return pid === undefined ? [] : [{ name, pid }];
  });

/** libfaketime leaves something behind of each of these that was killed; some end a moment after their server. */
async function forgetClocks(pids: ReadonlySet<string>): Promise<void> {
  await vi.waitFor(() => expect([...pids].filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]), {
    timeout: 10_000,
  });
  for (const { name, pid } of clocks()) if (pids.has(pid)) rmSync(join(CLOCKS, name), { force: true });
}

/** Processes of this office that are there now, by the file of their clock. */
const processesWith = (clockFile: string): string[] =>
  clocks().flatMap(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(clockFile) ? [pid] : [];
    } catch {
      return [];
    }
  });
