import { z } from 'zod';
import type { Log } from '#contract';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import { defineJob, handleJobs, type JobHandler } from '../record/jobs/jobs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { OutboundRoute } from './outbound-routes.ts';

const sentCopy = defineJob('sent_copy', z.object({ outbox_id: z.string() }));

interface SentCopyDeps {
  readonly log: Log;
  readonly pass: PassCrashPoint;
}

/** By then the copy has been filed, unless the process died before it could be. */
const OVERDUE_MS = 120_000;

const jobId = (outboxId: string): string => `sent_copy:${outboxId}`;

/** Committed with `sent`, ended with the copy: what a crash leaves of it is a copy that is still owed. */
export const sentCopyJob = (outboxId: string, now: number): NewJob =>
  sentCopy.job({ id: jobId(outboxId), due_at: now + OVERDUE_MS, payload: { outbox_id: outboxId } });

/** A copy for people, where one is wanted, filed once; a failure is a warning and never a reason to send again. */
export async function copyToSent(
  deps: SentCopyDeps,
  way: OutboundRoute,
  mail: { readonly id: string; readonly message_id: string; readonly raw: Uint8Array },
  store: Store,
): Promise<void> {
  try {
    await way.sent?.append(mail.message_id, mail.raw);
    if (way.sent) deps.pass('outbox.sent_copy');
  } catch (error) {
    deps.log.warn({ mailbox: way.id, outbox: mail.id, error: String(error) }, 'no copy in the Sent folder');
  }
  // The job stays: answers will name the mail by the id under which the server files it, which takes a while.
  if (way.otherIds === null) await store.endJob(jobId(mail.id));
}

/** The id of the copy, where it is another one: by that one answers name the mail. */
async function learnId(
  { log }: SentCopyDeps,
  { otherIds, id }: OutboundRoute,
  mail: { readonly id: string; readonly message_id: string },
  store: Store,
): Promise<void> {
  try {
    const found = (await otherIds?.find(mail.message_id)) ?? null;
    if (found !== null && found !== mail.message_id) await store.learnMessageId(mail.message_id, found);
  } catch (error) {
    // Our own id stands in what was sent as well: most answers name that.
    log.warn({ mailbox: id, outbox: mail.id, error: String(error) }, 'the id of the copy in Sent is not known');
  }
}

/** The job of a copy that a crash has left undone, or whose id is to be learned. */
export function createSentCopier(
  deps: SentCopyDeps & { routeOf(mailbox: string | null, personaId: string): OutboundRoute | null },
): JobHandler {
  return handleJobs(sentCopy, async (persona, job, store) => {
    const { outbox_id: id } = job.payload;
    const mail = await store.outboxRaw(id);
    const way = mail && deps.routeOf(mail.mailbox, persona.id);
    if (mail && way) {
      await copyToSent(deps, way, mail, store);
      if (way.otherIds) await learnId(deps, way, mail, store);
    }
    await store.endJob(job.id);
  });
}
