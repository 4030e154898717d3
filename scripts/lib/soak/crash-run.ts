import { startSmtpPeer } from '../../../test/fakes/smtp-peer.ts';
import { makeWorkspace } from '../../../test/flow/workspace.ts';
import { soakFiles } from './kill-run.ts';
import { leftInFolder, leftOverSmtp } from './left.ts';
import { oneLetter } from './letters.ts';
import { createLives } from './lives.ts';
import { openWork } from './rows.ts';
import { createSender } from './sender.ts';
import { type Left, type Tally, tally } from './tally.ts';

export interface Survival extends Tally {
  /** Whether each planned crash came. */
  readonly crashed: readonly boolean[];
  readonly left: readonly Left[];
}

/**
 * Mails of one sender each, and a process that dies at each of `crashes` (labels, as in EPISTLE_CRASH_AT; an empty one
 * leaves it to the mail), one life after the other; then one life without. Senders retry as mail servers do.
 */
export async function surviveCrashes(options: {
  crashes: readonly string[];
  bodies: readonly string[];
  /** More of the workspace. */
  files?: Readonly<Record<string, string | object>>;
  way?: 'folder' | 'smtp';
  /** Minutes from the begin of one life to the next; after ten, unknown deliveries are taken up. */
  apart?: number;
}): Promise<Survival> {
  const peer = options.way === 'smtp' ? await startSmtpPeer() : null;
  const workspace = makeWorkspace({ ...soakFiles(peer?.port ?? null), ...options.files });
  const lives = createLives(workspace.root);
  const sender = createSender({ door: lives.door, onAcknowledged: lives.acknowledged });
  const now = Date.now();
  const at = (life: number) =>
    options.apart ? { EPISTLE_TEST_NOW: new Date(now + life * options.apart * 60_000).toISOString() } : {};
  try {
    for (const [number, body] of options.bodies.entries()) sender.offer([oneLetter(body, number)]);
    const crashed: boolean[] = [];
    for (const [life, label] of options.crashes.entries()) {
      crashed.push(await lives.crash({ EPISTLE_CRASH_AT: label, ...at(life) }));
    }
    const isQuiet = () => sender.unsettled() === 0 && openWork(workspace.root, true) === 0;
    const quiet = await lives.rest(isQuiet, { NODE_ENV: 'test', ...at(options.crashes.length) });
    const left = peer ? leftOverSmtp(peer.mails) : leftInFolder(workspace.root);
    const counts = tally(workspace.root, sender.sent, left);
    const problems = [...(quiet ? [] : ['work was left that nobody did']), ...lives.troubles, ...counts.problems];
    return { ...counts, problems, crashed, left };
  } finally {
    await peer?.stop();
    workspace.remove();
  }
}

/**
 * At every label once, in one workspace: each life dies at the next label while it also takes up what the one before
 * left. The answer is whether that crash came and the mail of that life has its one answer.
 */
export async function crashAtEach(
  labels: readonly string[],
): Promise<{ points: Readonly<Record<string, boolean>>; problems: readonly string[] }> {
  const workspace = makeWorkspace(soakFiles(null));
  const lives = createLives(workspace.root);
  const sender = createSender({ door: lives.door, onAcknowledged: lives.acknowledged });
  const crashed = new Set<string>();
  for (const [at, label] of labels.entries()) {
    sender.offer([oneLetter('What is there?\r\n/list_files {}', at)]);
    if (await lives.crash({ EPISTLE_CRASH_AT: label })) crashed.add(label);
  }
  const quiet = await lives.rest(() => sender.unsettled() === 0 && openWork(workspace.root, true) === 0);
  const left = leftInFolder(workspace.root);
  const { problems: broken } = tally(workspace.root, sender.sent, left);
  const points = labels.map((label, at) => {
    const answers = left.filter(({ inReplyTo }) => inReplyTo === oneLetter('', at).messageId);
    return [label, crashed.has(label) && answers.length === 1];
  });
  const problems = [...(quiet ? [] : ['work was left that nobody did']), ...lives.troubles, ...broken];
  if (problems.length === 0) workspace.remove();
  return { points: Object.fromEntries(points), problems };
}
