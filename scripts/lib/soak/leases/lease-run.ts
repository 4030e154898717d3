import { setTimeout as sleep } from 'node:timers/promises';
import { startSmtpPeer } from '../../../../test/fakes/smtp-peer.ts';
import { makeWorkspace } from '../../../../test/flow/workspace.ts';
import { soakFiles } from '../kill-run.ts';
import { leftOverSmtp } from '../left.ts';
import { type Letter, oneLetter, PERSONAS } from '../letters.ts';
import { createLives } from '../lives.ts';
import { type Random, seededRandom } from '../random.ts';
import { openWork } from '../rows.ts';
import { createSender } from '../sender.ts';
import { tally } from '../tally.ts';
import { type Blow, hireCrew, LEASE_MS } from './crew.ts';
import { EFFECT_TOOL, marksIn } from './effects.ts';

export interface LeaseOptions {
  readonly seed: number;
  /** How often a gateway is stopped, continued or killed, over all pairs. */
  readonly blows: number;
  /** Pairs of gateways, each pair on a data folder of its own, side by side. */
  readonly pairs: number;
  say(line: string): void;
}

const QUIET_WITHIN_MS = 150_000;
const MAILS_PER_BLOW = 2;

/**
 * Two gateways share a data folder without the workspace lock, under leases of two seconds. One of them is stopped past
 * its leases and continued, or killed, again and again while mail comes in. Afterwards every mail has its one answer, no
 * effect of a tool and no mail happened twice beyond what is marked as sent again, and no row is left.
 */
export async function leaseRun({ seed, blows, pairs, say }: LeaseOptions) {
  const began = performance.now();
  const each = Math.ceil(blows / pairs);
  const reports = await Promise.all(
    Array.from({ length: pairs }, (_, pair) =>
      onePair({
        random: seededRandom(seed * 1000 + pair),
        blows: each,
        say: (line) => say(`pair ${pair + 1}: ${line}`),
      }),
    ),
  );
  const sum = (count: (report: Awaited<ReturnType<typeof onePair>>) => number) =>
    reports.reduce((total, report) => total + count(report), 0);
  const problems = reports.flatMap((report) => report.problems);
  const counts = {
    blows: sum(({ struck }) => struck.past_lease + struck.within_lease + struck.killed),
    past_lease: sum(({ struck }) => struck.past_lease),
    within_lease: sum(({ struck }) => struck.within_lease),
    killed: sum(({ struck }) => struck.killed),
    accepted: sum(({ counted }) => counted.accepted),
    answered: sum(({ counted }) => counted.answered),
    lost: sum(({ counted }) => counted.lost),
    doubled: sum(({ counted }) => counted.doubled),
    copies: sum(({ counted }) => counted.copies),
    effects: sum(({ effects }) => effects),
    effects_doubled: sum((report) => report.effectsDoubled),
    fenced: sum(({ fenced }) => fenced),
  };
  // A run in which nobody lost a lease, or no tool did anything, has shown nothing.
  const isProof = counts.fenced > 0 && counts.effects > 0;
  const ok = isProof && problems.length === 0 && counts.lost + counts.doubled + counts.effects_doubled === 0;
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  return { ok, seed, pairs, lease_ms: LEASE_MS, ...counts, problems: problems.slice(0, 20), seconds };
}

async function onePair({ random, blows, say }: { random: Random; blows: number; say(line: string): void }) {
  const peer = await startSmtpPeer();
  const files = soakFiles(peer.port);
  const security = files['configs/security.json'];
  const allowed = { ...security, tool_policy: { tools: { leave_mark: 'allow' } } };
  const workspace = makeWorkspace({ ...files, ...EFFECT_TOOL, 'configs/security.json': allowed });
  const crew = await hireCrew(workspace.root, random);
  const sender = createSender({ door: crew.door, onAcknowledged: () => {} });
  for (let blow = 1; blow <= blows; blow += 1) {
    for (let mail = 1; mail <= MAILS_PER_BLOW; mail += 1) {
      sender.offer([letterAbout((blow - 1) * MAILS_PER_BLOW + mail, random)]);
    }
    await sleep(random.between(0, 400));
    await crew.strike(blowOf(random.next()));
    if (blow % 25 === 0) say(`${blow} times, ${crew.fenced()} attempts lost their leases`);
  }
  const isQuiet = () => sender.unsettled() === 0 && openWork(workspace.root, false) === 0;
  const late = performance.now() + QUIET_WITHIN_MS;
  while (!isQuiet() && performance.now() < late) await sleep(200);
  const quiet = isQuiet();
  const fenced = crew.fenced();
  await crew.dismiss();
  // Of what was handed over by somebody who then lost the lease, nobody knows; that is looked at again after ten minutes.
  const lives = createLives(workspace.root);
  const later = { NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(Date.now() + 11 * 60_000).toISOString() };
  const settled = quiet && (await lives.rest(() => openWork(workspace.root, true) === 0, later));
  const left = leftOverSmtp(peer.mails);
  await peer.stop();
  const { problems: broken, ...counted } = tally(workspace.root, sender.sent, left);
  const marks = marksIn(workspace.root);
  const doubles = [...marks].filter(([, times]) => times > 1);
  const problems = [
    ...(settled ? [] : ['work was left that nobody did']),
    ...crew.troubles,
    ...lives.troubles,
    ...broken,
    ...doubles.map(([key, times]) => `${key} was done ${times} times`),
  ];
  if (problems.length === 0) workspace.remove();
  else say(`the workspace is kept in ${workspace.root}`);
  const { struck } = crew;
  return { struck, fenced, counted, effects: marks.size, effectsDoubled: doubles.length, problems };
}

/** Most are stopped for longer than a lease lasts. */
function blowOf(chance: number): Blow {
  if (chance < 0.7) return 'past_lease';
  return chance < 0.85 ? 'within_lease' : 'killed';
}

/** Up to three effects, each of which takes a while. */
function letterAbout(number: number, random: Random): Letter {
  const calls = Array.from({ length: random.between(1, 3) }, (_, at) => {
    const key = `${number}-${at}`;
    return `/leave_mark ${JSON.stringify({ key, ms: random.between(0, 500) })}`;
  });
  return oneLetter([`Mail ${number}`, ...calls].join('\r\n'), number, random.pick(PERSONAS));
}
