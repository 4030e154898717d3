import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Mail } from '../forgeries/mail.ts';
import { type Kept, keptIn, keptSince } from './kept.ts';
import { ADA, OPEN, OWNER, openRig, type Rig } from './rig.ts';
import { SHAPES } from './shapes/all.ts';
import { HEADER_SHAPES } from './shapes/headers.ts';
import type { Shape } from './shapes/shape.ts';
import { deliver } from './stranger.ts';

export interface AttackOptions {
  readonly seed: number;
  readonly size: 'small' | 'full';
  /** Only the shapes whose names begin so. */
  readonly only: string | null;
  say(line: string): void;
}

export interface ShapeFigures {
  readonly shape: string;
  readonly bytes: number;
  readonly connections: number;
  readonly reply: string;
  readonly late_ms: number;
  readonly cpu_ms: number;
  readonly own_ms: number;
  /** How late a loop with nothing to do was at the same time. */
  readonly noise_ms: number;
  /** How long the owner waited for an answer, by submission and by signed mail. */
  readonly submitted_ms: number;
  readonly signed_ms: number;
  readonly rss_mb: number;
  readonly kept_bytes: number;
  readonly problems: readonly string[];
}

/** The size limit, but for what the fields around it take. */
const FULL_BYTES = 26_214_400 - 4096;
const BYTES = { full: FULL_BYTES, small: Math.floor(FULL_BYTES / 20) } as const;
/** Of a header that is looked at as a whole: readers stop at a limit, and just below it they do the most. */
const HEADER_BYTES = [250_000, 2_000_000] as const;
const BARS = { standstillMs: 200, answerMs: 5000, rssMb: 600 } as const;
/** What a loop may stand still for while it does not compute: the small size runs on machines whose disk is others', too. */
const WAITED_MS = { full: BARS.standstillMs, small: 2000 } as const;
/** A shape that has not come to an end by then has done what it wanted. */
const PATIENCE_MS = { full: 60_000, small: 40_000 } as const;
/** What an owner's two mails leave behind is below that. */
const WORTH_KEEPING_BYTES = 64 * 1024;
const QUIET_ROUNDS = { full: 20, small: 8 } as const;
/** These were found by people; they are always tried. */
const ALWAYS =
  /^(folds|lines-below-dashes|signatures-partial|names-and-fields|signatures-silent|css-declarations|attachment-name|css-transform|admitted-(tokens|approval-tokens)|nested-parts|open-comments)$/;

/** A stranger's worst mails, one shape after the other, while an owner writes beside them. */
export async function attackRun({ seed, size, only, say }: AttackOptions) {
  const began = performance.now();
  const rig = await openRig();
  try {
    const quiet = await quietTime(rig, QUIET_ROUNDS[size]);
    say(`quiet: ${JSON.stringify(quiet)}`);
    const wanted = chosen(seed, size, only).flatMap((name, place) => sized(name, place, size));
    const shapes: ShapeFigures[] = [];
    for (const [place, { name, bytes }] of wanted.entries()) {
      const shape = SHAPES[name];
      if (!shape) continue;
      const figures = await tryShape(rig, { name, shape, bytes, place, size });
      shapes.push(figures);
      say(
        `${place + 1}/${wanted.length} ${name} of ${bytes}: ${figures.own_ms} ms, owner ${figures.submitted_ms} ms, ${figures.rss_mb} MB${figures.problems.map((one) => `, ${one}`).join('')}`,
      );
      if (figures.problems.length > 0 || rig.isGone()) await startAnew(rig);
    }
    const bad = shapes.filter(({ problems }) => problems.length > 0);
    const most = (key: 'late_ms' | 'cpu_ms' | 'own_ms' | 'submitted_ms' | 'signed_ms' | 'rss_mb' | 'kept_bytes') =>
      Math.max(0, ...shapes.map((one) => one[key]));
    return {
      ok: bad.length === 0,
      seed,
      size,
      bytes: BYTES[size],
      tried: shapes.length,
      bad: bad.length,
      quiet,
      worst: {
        late_ms: most('late_ms'),
        cpu_ms: most('cpu_ms'),
        own_ms: most('own_ms'),
        submitted_ms: most('submitted_ms'),
        signed_ms: most('signed_ms'),
        rss_mb: most('rss_mb'),
        kept_bytes: most('kept_bytes'),
      },
      problems: bad.map(({ shape, bytes, problems }) => `${shape} of ${bytes}: ${problems.join(', ')}`),
      shapes,
      seconds: Math.round((performance.now() - began) / 100) / 10,
    };
  } finally {
    await rig.close();
  }
}

/** All of them, or every third and those that are always tried. */
function chosen(seed: number, size: 'small' | 'full', only: string | null): readonly string[] {
  const names = Object.keys(SHAPES);
  if (only !== null) return names.filter((name) => name.startsWith(only));
  return size === 'full' ? names : names.filter((name, n) => n % 3 === seed % 3 || ALWAYS.test(name));
}

/** Headers in full size at every limit, otherwise at one after the other. */
function sized(name: string, place: number, size: 'small' | 'full'): { name: string; bytes: number }[] {
  const all = [BYTES[size], ...(name in HEADER_SHAPES ? HEADER_BYTES : [])];
  return (size === 'full' ? all : [all[place % all.length] ?? BYTES.small]).map((bytes) => ({ name, bytes }));
}

/** What one shape did must not count against the next. */
async function startAnew(rig: Rig): Promise<void> {
  await rig.restart();
  await warmUp(rig);
}

/** The first mails load what the others find loaded. */
const warmUp = (rig: Rig) => Promise.all([rig.askAs(OWNER, 'submission', 20_000), rig.askAs(OWNER, 'signed', 20_000)]);

/** The same questions of an owner with nobody else there: what this machine does by itself. */
async function quietTime(rig: Rig, rounds: number) {
  await warmUp(rig);
  const since = Date.now();
  const waits: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    waits.push(...(await Promise.all([rig.askAs(OWNER, 'submission', 20_000), rig.askAs(OWNER, 'signed', 20_000)])));
  }
  return {
    ...(await rig.standstill(since)),
    noise_ms: rig.noiseMs(since),
    answer_ms: Math.round(Math.max(...waits)),
    rss_mb: Math.round(rig.rssMb()),
  };
}

interface Trial {
  readonly name: string;
  readonly shape: Shape;
  readonly bytes: number;
  readonly place: number;
  readonly size: 'small' | 'full';
}

async function tryShape(rig: Rig, trial: Trial): Promise<ShapeFigures> {
  const { name, shape, bytes, place, size } = trial;
  const raw = bytesFor(rig, shape, name, bytes);
  // Now and then several at once; a stranger has as many addresses as he likes.
  const connections = place % 5 === 4 ? 4 : 1;
  const before = keptIn(join(rig.root, 'data'));
  const pid = rig.pid();
  const since = Date.now();
  const memory = watchMemory(rig);
  const patience = PATIENCE_MS[size];
  const attackers = Array.from({ length: connections }, (_, n) =>
    deliver(
      {
        port: rig.port(),
        from: `127.0.0.${20 + n}`,
        mailFrom: 'mallory@evil.test',
        to: [shape.admitted ? OPEN : ADA],
        raw,
      },
      patience,
    ),
  );
  // The owner writes when the stranger has begun.
  const asked = sleep(50).then(() =>
    Promise.all([rig.askAs(OWNER, 'submission', patience), rig.askAs(OWNER, 'signed', patience)]),
  );
  const [submitted, signed] = await asked;
  const replies = await Promise.all(attackers);
  await sleep(20);
  const standstill = await rig.standstill(since);
  const after = keptIn(join(rig.root, 'data'));
  const figures = {
    shape: name,
    bytes: raw.length,
    connections,
    reply: (replies[0] ?? '').slice(0, 80),
    ...standstill,
    noise_ms: Math.round(rig.noiseMs(since)),
    submitted_ms: Math.round(submitted),
    signed_ms: Math.round(signed),
    rss_mb: Math.round(memory.stop()),
    kept_bytes: shape.admitted ? 0 : keptBytes(before, after),
  };
  const kept = shape.admitted ? [] : keptSince(before, after, WORTH_KEEPING_BYTES);
  return { ...figures, problems: problemsOf(figures, { kept, died: rig.isGone() || rig.pid() !== pid, size }) };
}

const keptBytes = (before: Kept, after: Kept): number => Math.max(0, after.bytes - before.bytes);

function problemsOf(
  figures: Omit<ShapeFigures, 'problems'>,
  { kept, died, size }: { kept: readonly string[]; died: boolean; size: 'small' | 'full' },
): string[] {
  const { late_ms, cpu_ms, own_ms, submitted_ms, signed_ms, rss_mb, reply } = figures;
  return [
    ...(died ? ['the gateway died'] : []),
    ...(cpu_ms > BARS.standstillMs || own_ms > WAITED_MS[size]
      ? [`stood still for ${own_ms} ms (${late_ms} by the clock, ${cpu_ms} computing)`]
      : []),
    ...(submitted_ms > BARS.answerMs ? [`the owner's submission was answered after ${submitted_ms} ms`] : []),
    ...(signed_ms > BARS.answerMs ? [`the owner's signed mail was answered after ${signed_ms} ms`] : []),
    ...(rss_mb >= BARS.rssMb ? [`took ${rss_mb} MB`] : []),
    ...(reply === 'late' ? ['the stranger got no reply'] : []),
    ...kept.map((file) => `kept ${file}`),
  ];
}

/** The shape as a mail of this moment; signed where its domain is to be let in. */
function bytesFor(rig: Rig, shape: Shape, name: string, bytes: number): Buffer {
  const text = shape.make(bytes).replace('<shape@evil.test>', `<${name}-${Date.now()}@evil.test>`);
  if (!shape.admitted) return Buffer.from(text, 'latin1');
  const split = text.indexOf('\r\n\r\n');
  const fields = text
    .slice(0, split)
    .replace(`To: ${ADA}`, `To: ${OPEN}`)
    .split(/\r\n(?![ \t])/);
  const mail: Mail = { fields, body: text.slice(split + 4) };
  const signed = rig.sign(mail, 'evil.test');
  return Buffer.from(`${signed.fields.join('\r\n')}\r\n\r\n${signed.body}`, 'latin1');
}

/** The most that the process held while it is watched, in MB. */
function watchMemory(rig: Rig): { stop(): number } {
  const state = { most: 0 };
  const look = () => {
    if (!rig.isGone()) state.most = Math.max(state.most, rig.rssMb());
  };
  look();
  const timer = setInterval(look, 50);
  return {
    stop() {
      look();
      clearInterval(timer);
      return state.most;
    },
  };
}
