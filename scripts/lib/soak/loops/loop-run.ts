import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchGateway, type Program } from '../../../../test/flow/gateway.ts';
import { makeWorkspace, type TestWorkspace } from '../../../../test/flow/workspace.ts';
import { submit } from '../submit.ts';
import { type Limits, type Loop, loopsFor, partnerOf } from './loops.ts';
import { headerOf, type Mailbox, type PostOffice, startPostOffice, withoutMarks } from './post-office.ts';
import { autoresponder, bouncer, plainMail } from './robots.ts';

export interface LoopFigures {
  readonly persona: string;
  readonly what: string;
  readonly answers: number;
  readonly notices: number;
  readonly most: { readonly answers: number; readonly notices: number };
}

export interface LoopReport {
  readonly ok: boolean;
  readonly loops: readonly LoopFigures[];
  /** How long nothing had left when it was over. */
  readonly quiet_s: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

const OWNER = 'owner@owners.example';
const A = 'agents-a.localhost';
const B = 'agents-b.localhost';

/**
 * Two gateways among everything that answers mail endlessly, joined by servers that take off every mark of a
 * program. It is over when each of them was answered and nothing has left for `quietMs`, not before `atLeastMs` and not
 * after `atMostMs`.
 */
export async function loopRun(options: {
  limits: Limits;
  atLeastMs: number;
  quietMs: number;
  atMostMs: number;
  say(line: string): void;
}): Promise<LoopReport> {
  const began = performance.now();
  const stop = new AbortController();
  const post = await startPostOffice();
  const loops = loopsFor(options.limits);
  const a = await openGateway(post, A, options.limits, loops.map(personaFile));
  const b = await openGateway(post, B, options.limits, [{ id: 'bea', ...personaFor('bea', B, [`*@${A}`]) }]);
  try {
    for (const loop of loops) {
      if (loop.partner === 'bouncer') post.serve(loop.domain, bouncer(post.post));
      else if (loop.partner !== 'other_gateway') {
        post.serve(loop.domain, autoresponder(post.post, loop.partner, stop.signal));
      }
      post.post(kickOff(loop));
    }
    const waited = new Set(loops);
    const isBegun = () => {
      for (const loop of waited) if (figuresOf(post, loop).answers > 0) waited.delete(loop);
      return waited.size === 0;
    };
    const quietMs = await watch(post, options, { began, isBegun });
    // The gateways still answer people, whatever the robots did.
    const alive = await answersAPerson(post, loops);
    const figures = loops.map((loop) => figuresOf(post, loop));
    const problems = [
      ...figures.flatMap(problemsOf),
      ...(quietMs < options.quietMs ? [`it did not become quiet within ${options.atMostMs} ms`] : []),
      ...alive.map((persona) => `${persona} does not answer a person any more`),
      ...otherAnswers(post).map((what) => `agents-b: ${what}`),
      ...post.failures,
      ...[a, b].flatMap(({ gateway }) => errorsIn(gateway.log())),
    ];
    return {
      ok: problems.length === 0,
      loops: figures,
      quiet_s: Math.round(quietMs / 1000),
      seconds: Math.round((performance.now() - began) / 1000),
      problems,
    };
  } finally {
    stop.abort();
    await Promise.all([a, b].map(close));
    await post.stop();
  }
}

const personaFor = (name: string, domain: string, allow: readonly string[], owners: readonly string[] = [OWNER]) => ({
  name,
  address: `${name}@${domain}`,
  owners,
  access: { allow: [...allow, '*@people.example'] },
});

const personaFile = (loop: Loop) => {
  const owners = loop.owner ? [partnerOf(loop)] : [OWNER];
  return { id: loop.persona, ...personaFor(loop.persona, A, [`*@${loop.domain}`], owners) };
};

const kickOff = (loop: Loop) =>
  plainMail({
    from: partnerOf(loop),
    to: `${loop.persona}@${A}`,
    subject: 'A question',
    text: 'What do you say?',
    messageId: `<first-${loop.persona}@${loop.domain}>`,
  });

type Open = Awaited<ReturnType<typeof openGateway>>;

/** A gateway in its own workspace; the post office brings it the mail of its domain, stripped of every mark. */
async function openGateway(
  post: PostOffice,
  domain: string,
  limits: Limits,
  personas: readonly { readonly id: string }[],
): Promise<{ workspace: TestWorkspace; gateway: Program }> {
  const smtp = { host: '127.0.0.1', port: post.port, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
  const workspace = makeWorkspace({
    'configs/gateway.json': { domain, smtp_listener: { port: 0 }, mailboxes: [{ id: 'out', smtp }] },
    'configs/security.json': { owners: [OWNER], loop_guard: limits },
    ...Object.fromEntries(personas.map(({ id, ...persona }) => [`personas/${id}/persona.json`, persona])),
  });
  // Limits are counted by the hour; at five past, a run of ten minutes stays in one.
  const gateway = await launchGateway(workspace.root, {
    NODE_ENV: 'test',
    EPISTLE_TEST_NOW: `${new Date().toISOString().slice(0, 13)}:05:00Z`,
  }).ready;
  const secret = readFileSync(join(workspace.root, 'data/submission.secret'), 'utf8').trim();
  const bring: Mailbox = async (mail) => {
    const raw = Buffer.from(withoutMarks(mail.raw), 'latin1');
    await submit({ port: gateway.ready.smtp.port, secret }, { from: mail.from, to: [mail.to], raw });
  };
  post.serve(domain, bring);
  return { workspace, gateway };
}

async function close({ workspace, gateway }: Open): Promise<void> {
  await gateway.stop();
  workspace.remove();
}

/** Waits; how long nothing has left at the end. Before everybody was answered, silence says that the machine is slow. */
async function watch(
  post: PostOffice,
  { atLeastMs, quietMs, atMostMs, say }: Parameters<typeof loopRun>[0],
  { began, isBegun }: { began: number; isBegun(): boolean },
): Promise<number> {
  const last = { count: -1, at: began, said: began };
  for (;;) {
    await sleep(100);
    const now = performance.now();
    if (post.taken.length !== last.count || !isBegun()) Object.assign(last, { count: post.taken.length, at: now });
    if (now - last.said > 30_000) {
      say(`${Math.round((now - began) / 1000)} s: ${last.count} mails have left`);
      last.said = now;
    }
    const quiet = now - last.at;
    if (now - began >= atMostMs || (now - began >= atLeastMs && quiet >= quietMs)) return quiet;
  }
}

/** The personas that leave a person's mail unanswered. */
async function answersAPerson(post: PostOffice, loops: readonly Loop[]): Promise<readonly string[]> {
  const person = 'mia@people.example';
  for (const { persona } of loops) {
    const messageId = `<person-${persona}@people.example>`;
    post.post(plainMail({ from: person, to: `${persona}@${A}`, subject: 'Hello', text: 'Are you there?', messageId }));
  }
  const unanswered = () =>
    loops.filter(({ persona }) => !post.taken.some(({ from, to }) => to === person && from === `${persona}@${A}`));
  const late = performance.now() + 60_000;
  while (unanswered().length > 0 && performance.now() < late) await sleep(50);
  return unanswered().map(({ persona }) => persona);
}

function figuresOf(post: PostOffice, loop: Loop): LoopFigures {
  const mails = post.taken.filter(({ from, to }) => from === `${loop.persona}@${A}` && !to.endsWith('@people.example'));
  const kinds = mails.map(({ raw }) => headerOf(raw, 'X-Epistle-Kind'));
  return {
    persona: loop.persona,
    what: loop.what,
    answers: kinds.filter((kind) => kind === 'reply').length,
    notices: kinds.filter((kind) => kind === 'notice').length,
    most: loop.most,
  };
}

function problemsOf({ persona, what, answers, notices, most }: LoopFigures): string[] {
  return [
    ...(answers === 0 ? [`${persona} never answered ${what}`] : []),
    ...(answers > most.answers ? [`${persona} answered ${what} ${answers} times, ${most.answers} are allowed`] : []),
    ...(notices > most.notices ? [`${persona} sent ${notices} notices about ${what}`] : []),
  ];
}

/** The other side of the two gateways: each has its own end of the loop, and its owner hears of that once. */
function otherAnswers(post: PostOffice): string[] {
  const notices = post.taken.filter(
    ({ from, raw }) => from === `bea@${B}` && headerOf(raw, 'X-Epistle-Kind') === 'notice',
  );
  return notices.length <= 1 ? [] : [`${notices.length} notices about two gateways that answer each other`];
}

const errorsIn = (log: string): string[] => log.split('\n').filter((line) => line.includes('"level":"error"'));
