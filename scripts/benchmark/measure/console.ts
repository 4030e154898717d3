import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, browserAt } from '../../../test/flow/console-rig.ts';
import { type BenchWorkspace, makeBenchWorkspace } from '../bench-workspace.ts';
import { type Correspondent, exchange, sinkMailbox } from '../correspondent.ts';
import { median, rounded } from '../figures.ts';
import { launch, type RunningGateway } from '../gateway.ts';
import { seedMails } from '../seed-mails.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/epistle.js', import.meta.url));

/** What each screen is opened at; the others are found by their links. */
const SCREENS = [
  '/',
  '/mail',
  '/approvals',
  '/runs',
  '/personas',
  '/tasks',
  '/people',
  '/costs',
  '/settings',
  '/system',
  '/log-ins',
] as const;
const ENTRIES = {
  'a mail': ['/mail', '/mail/\\d'],
  'a run': ['/runs', '/runs/'],
  'a person': ['/people', '/people/'],
} as const;

const MOST_AT_WORK = 200;

export interface PageFigure {
  readonly page: string;
  /** CPU time of the gateway for one look, ms; nineteen of twenty take at most the second. */
  readonly cpu_ms: number;
  readonly p95_cpu_ms: number;
  /** The page, and all that it fetches by itself. */
  readonly first_visit_kb: number;
}

export interface ConsoleFigure {
  readonly personas: number;
  readonly mails: number;
  readonly runs: number;
  readonly pages: readonly PageFigure[];
  /** Of a mail that is answered beside open consoles, as a multiple of the same mail without. */
  readonly mail_cost_ratio: number;
  readonly consoles: number;
  readonly streams: number;
  /** What so many streams hold. */
  readonly streams_mb: number;
  /** Resident memory after they are gone, a part of them by force, as a multiple of what it was before. */
  readonly memory_ratio: number;
}

/** What a look at the console costs beside a past, what open consoles cost the mail, and what streams leave behind. */
export async function measureConsole(
  correspondent: Correspondent,
  modelUrl: string,
  size: {
    readonly personas: number;
    readonly mails: number;
    readonly runs: number;
    readonly looks: number;
    readonly rounds: number;
    readonly mailsOfRound: number;
    readonly consoles: number;
    readonly streams: number;
    readonly killed: number;
  },
): Promise<ConsoleFigure> {
  const { personas, mails, runs, consoles, streams } = size;
  const mailboxes = [sinkMailbox(correspondent.hello.sinkPort)];
  const workspace = makeBenchWorkspace({ personas, modelUrl, mailboxes });
  const system = { console: { enabled: true, screens: true, port: 0 }, log: { level: 'warn', format: 'json' } };
  writeFileSync(join(workspace.root, 'configs/system.json'), JSON.stringify(system));
  await seedMails({ dataDir: join(workspace.root, 'data'), personas, mails: mails - 2 * runs, now: Date.now() });
  const gateway = await launch(workspace.root);
  // The others have mail of the past alone.
  const atWork = Math.min(personas, MOST_AT_WORK);
  try {
    const write = (count: number, connections: number) =>
      exchange(correspondent, gateway.listener, { personas: atWork, answers: true, connections, mails: count });
    await write(runs, 32);
    const browser = await logIn(workspace, gateway);
    const pages = await pagesOf(browser, gateway, size.looks);
    const sessions: Browser[] = [];
    // A session has at most twelve pages open.
    while (sessions.length * 12 < streams) sessions.push(await logIn(workspace, gateway));
    const memory = await memoryOf({ gateway, sessions, streams, killed: size.killed });
    const ratio = await costBeside({ gateway, sessions, consoles, rounds: size.rounds }, async () => {
      const before = gateway.cpuMs();
      await write(size.mailsOfRound, 8);
      return (gateway.cpuMs() - before) / size.mailsOfRound;
    });
    return { personas, mails, runs, pages, mail_cost_ratio: ratio, consoles, streams, ...memory };
  } finally {
    await gateway.stop();
    workspace.remove();
  }
}

async function logIn({ root }: BenchWorkspace, gateway: RunningGateway): Promise<Browser> {
  const child = spawn(process.execPath, [PROGRAM, '--workspace', root, 'console', '--json'], {
    env: { ...process.env, XDG_STATE_HOME: '/dev/null' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const browser = browserAt(gateway.consoleUrl);
  const { status } = await browser.open(JSON.parse(said).console.link);
  if (status !== 303) throw new Error(`the log-in was answered with ${status}`);
  return browser;
}

async function pagesOf(browser: Browser, gateway: RunningGateway, looks: number): Promise<PageFigure[]> {
  const pages: { name: string; address: string }[] = SCREENS.map((address) => ({ name: address, address }));
  for (const [name, [list, prefix]] of Object.entries(ENTRIES)) {
    const found = new RegExp(`href="(${prefix}[^"?#]*)"`).exec((await open(browser, list)).text)?.[1];
    if (found === undefined) throw new Error(`${list} has no link to ${name}`);
    pages.push({ name, address: found.replaceAll('&amp;', '&') });
  }
  const figures: PageFigure[] = [];
  for (const { name, address } of pages) {
    const costs: number[] = [];
    // The first looks read what nobody has looked at, and compile.
    for (let look = -5; look < looks; look += 1) {
      const before = gateway.cpuMs();
      await open(browser, address);
      const cost = gateway.cpuMs() - before;
      if (look >= 0) costs.push(cost);
    }
    figures.push({
      page: name,
      cpu_ms: rounded(median(costs)),
      p95_cpu_ms: rounded(costs.toSorted((a, b) => a - b)[Math.floor(costs.length * 0.95)] ?? Number.NaN),
      first_visit_kb: rounded((await bytesOf(browser, address)) / 1000, 1),
    });
  }
  return figures;
}

async function open(browser: Browser, address: string) {
  const found = await browser.get(address);
  if (found.status !== 200) throw new Error(`${address} was answered with ${found.status}`);
  return found;
}

async function bytesOf(browser: Browser, address: string): Promise<number> {
  const page = await open(browser, address);
  const assets = new Set([...page.text.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(([, path]) => path ?? ''));
  let bytes = Buffer.byteLength(page.text);
  for (const asset of assets) bytes += Buffer.byteLength((await open(browser, asset)).text);
  return bytes;
}

interface Listening {
  readonly request: ClientRequest;
  /** How often the page was told that something has changed. */
  readonly told: { count: number };
}

function listen(browser: Browser, onTold: () => void = () => {}): Promise<Listening> {
  const { hostname, port, host } = new URL(browser.origin);
  const headers = { host, cookie: browser.cookie(), accept: 'text/event-stream', 'sec-fetch-site': 'same-origin' };
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path: '/events', headers, agent: false }, (response: IncomingMessage) => {
      if (response.statusCode !== 200) return reject(new Error(`a stream was answered with ${response.statusCode}`));
      const told = { count: 0 };
      response.setEncoding('utf8').on('data', (part: string) => {
        const times = part.split('event: changed').length - 1;
        told.count += times;
        if (times > 0) onTold();
      });
      response.on('error', () => {});
      response.once('data', () => resolve({ request: asked, told }));
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** Until what was let go of is collected, resident memory says little. */
const SETTLE_MS = 3000;

async function memoryOf(of: {
  readonly gateway: RunningGateway;
  readonly sessions: readonly Browser[];
  readonly streams: number;
  readonly killed: number;
}): Promise<Pick<ConsoleFigure, 'streams_mb' | 'memory_ratio'>> {
  const { gateway, sessions, streams, killed } = of;
  const cycle = async () => {
    const before = gateway.rssMb();
    const listening = await Promise.all(
      Array.from({ length: streams }, (_, at) => listen(sessions[at % sessions.length] as Browser)),
    );
    await pause(SETTLE_MS);
    const held = gateway.rssMb() - before;
    for (const [at, { request: asked }] of listening.entries())
      if (at < killed) asked.socket?.resetAndDestroy();
      else asked.destroy();
    await pause(SETTLE_MS);
    return { before, held, after: gateway.rssMb() };
  };
  // The first makes room that later ones use again.
  await cycle();
  const { before, held, after } = await cycle();
  return { streams_mb: rounded(Math.max(0, held), 1), memory_ratio: rounded(after / before) };
}

/** Pages that are looked at by people: each takes up by itself what has changed, as the script of the page does. */
async function costBeside(
  of: {
    readonly gateway: RunningGateway;
    readonly sessions: readonly Browser[];
    readonly consoles: number;
    readonly rounds: number;
  },
  costOfMail: () => Promise<number>,
): Promise<number> {
  const ratios: number[] = [];
  const warmUp = async () => {
    const until = performance.now() + WARM_UP_MS;
    while (performance.now() < until) await costOfMail();
  };
  for (let round = 0; round < of.rounds; round += 1) {
    const besideFirst = round % 2 === 0;
    if (round === 0) await costOfMail();
    const one = besideFirst ? await withConsoles(of, costOfMail, warmUp) : await costOfMail();
    const other = besideFirst ? await costOfMail() : await withConsoles(of, costOfMail, warmUp);
    ratios.push(besideFirst ? one / other : other / one);
  }
  return rounded(median(ratios), 3);
}

/** In which pages have been told at once as often as they are. */
const WARM_UP_MS = 8000;
/** As long as a page waits before it takes up what it was told. */
const LOOK_MS = 300;

async function withConsoles(
  { sessions, consoles }: { readonly sessions: readonly Browser[]; readonly consoles: number },
  work: () => Promise<number>,
  warmUp: () => Promise<unknown>,
): Promise<number> {
  const over = new AbortController();
  const pages = Array.from({ length: consoles }, async (_, at) => {
    const session = sessions[at % sessions.length] as Browser;
    const address = SCREENS[at % SCREENS.length] as string;
    let waits = false;
    const { request: asked } = await listen(session, () => {
      if (waits || over.signal.aborted) return;
      waits = true;
      setTimeout(() => {
        waits = false;
        if (!over.signal.aborted) void session.send(address, { headers: { 'x-live': '1' } }).catch(() => {});
      }, LOOK_MS).unref();
    });
    return asked;
  });
  const open = await Promise.all(pages);
  try {
    // Pages are told at once a few times, and seldom after that: what is measured is a day, not its first seconds.
    await warmUp();
    return await work();
  } finally {
    over.abort();
    for (const asked of open) asked.destroy();
    await pause(LOOK_MS);
  }
}
