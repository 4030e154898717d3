import { startSmtpPeer } from '../../../test/fakes/smtp-peer.ts';
import { makeWorkspace } from '../../../test/flow/workspace.ts';
import { leftInFolder, leftOverSmtp } from './left.ts';
import { addressOf, PERSONAS, writeConversations } from './letters.ts';
import { createLives, planDeath } from './lives.ts';
import { LOOP_GUARD_OFF } from './loop-guard-off.ts';
import { seededRandom } from './random.ts';
import { openWork } from './rows.ts';
import { createSender } from './sender.ts';
import { type Tally, tally } from './tally.ts';

export interface KillReport extends Omit<Tally, 'problems'> {
  readonly ok: boolean;
  readonly mails: number;
  readonly kills: number;
  readonly stops: number;
  /** Tries beyond the first of each mail. */
  readonly resent: number;
  readonly seconds: number;
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 20;

/**
 * Mail comes in while the gateway is killed again and again at moments that the seed decides; afterwards every
 * promise is counted. Outgoing mail goes to a folder, or with `way: 'smtp'` to a server that is itself unreliable.
 */
export async function killRun(options: {
  seed: number;
  mails: number;
  kills: number;
  way: 'folder' | 'smtp';
  say(line: string): void;
}): Promise<KillReport> {
  const { mails, kills, way, say } = options;
  const began = performance.now();
  const random = seededRandom(options.seed);
  const peer = way === 'smtp' ? await startSmtpPeer() : null;
  const workspace = makeWorkspace(soakFiles(peer?.port ?? null));
  const lives = createLives(workspace.root);
  const sender = createSender({ door: lives.door, onAcknowledged: lives.acknowledged });
  const waiting = writeConversations(mails, random);
  const batch = Math.ceil(waiting.length / (kills + 1));
  while (lives.deaths.kills < kills) {
    for (const conversation of waiting.splice(0, batch)) sender.offer(conversation);
    if (peer) Object.assign(peer.script, moodOf(random.next()));
    await lives.live(planDeath(random, batch));
    if (lives.deaths.kills % 10 === 0) say(progress(lives.deaths.kills, sender.sent));
  }
  for (const conversation of waiting.splice(0)) sender.offer(conversation);
  if (peer) Object.assign(peer.script, HEALTHY);
  const quiet = await lives.rest(() => sender.unsettled() === 0 && openWork(workspace.root, false) === 0);
  // What died between the final dot and the row is looked at again after ten minutes.
  const later = { NODE_ENV: 'test', EPISTLE_TEST_NOW: new Date(Date.now() + 11 * 60_000).toISOString() };
  const settled = quiet && (await lives.rest(() => openWork(workspace.root, true) === 0, later));
  const left = peer ? leftOverSmtp(peer.mails) : leftInFolder(workspace.root);
  await peer?.stop();
  const { problems: broken, ...counts } = tally(workspace.root, sender.sent, left);
  const problems = [...(settled ? [] : ['work was left that nobody did']), ...lives.troubles, ...broken];
  const ok = problems.length === 0;
  if (ok) workspace.remove();
  else say(`the workspace is kept in ${workspace.root}`);
  return {
    ok,
    mails,
    ...counts,
    ...lives.deaths,
    resent: sender.sent.reduce((sum, { tries }) => sum + Math.max(0, tries - 1), 0),
    seconds: Math.round((performance.now() - began) / 100) / 10,
    problems: problems.slice(0, MAX_PROBLEMS),
  };
}

const progress = (killed: number, sent: readonly { acknowledged: number }[]) =>
  `killed ${killed} times, ${sent.filter(({ acknowledged }) => acknowledged > 0).length} mails acknowledged`;

const HEALTHY = { dot: '250 2.0.0 queued', store: true };

/** What the receiving server is like during one life: well, full, or gone after it has taken the mail. */
function moodOf(chance: number) {
  if (chance < 0.1) return { dot: '451 4.3.1 no room now', store: false };
  if (chance < 0.2) return { dot: 'drop', store: true };
  if (chance < 0.3) return { dot: 'drop', store: false };
  return HEALTHY;
}

/** A workspace with six personas whose mail goes to a folder, or to an SMTP server on this port. */
export function soakFiles(smtpPort: number | null): Record<string, object> {
  const smtp = { host: '127.0.0.1', port: smtpPort, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
  const mailboxes = smtpPort === null ? [] : [{ id: 'out', smtp }];
  const personas = PERSONAS.map((id) => [
    `personas/${id}/persona.json`,
    { name: id, address: addressOf(id), access: { allow: ['*@member.example'] } },
  ]);
  return {
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      mailboxes,
      // A refusal that passes must not keep the end waiting.
      delivery: { first_retry_s: 1, max_retry_s: 5 },
    },
    'configs/security.json': {
      owners: ['owner@example.com'],
      // Counting mails is another test's matter; here every mail is owed an answer.
      loop_guard: LOOP_GUARD_OFF,
      // A call that changes something and may not be repeated silently.
      tool_policy: { tools: { edit_file: 'allow' } },
    },
    ...Object.fromEntries(personas),
  };
}
