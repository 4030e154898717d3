import { z } from 'zod';
import { LANGUAGES, type Language } from '../../languages/language.ts';
import { againSchema } from '../../storage/types/approvals.ts';
import type { Gather, GatheredKind, NewJob } from '../../storage/types/jobs.ts';
import { defineJob } from './jobs.ts';

const Said = z.object({ subject: z.string(), text: z.string() });
type Said = z.infer<typeof Said>;
/** The same in every language of the gateway. */
export type SaidInEach = Said & { readonly in: Readonly<Record<string, Said>> };

/**
 * `to`: this owner alone; absent: all owners of the persona. `in`: the same in each language; absent: of an earlier build.
 * `again`: what an owner may have done once more by an answer. `about`: the mail that it answers, by its Message-ID.
 */
const Words = Said.extend({
  to: z.string().optional(),
  in: z.partialRecord(z.enum(LANGUAGES), Said).optional(),
  again: againSchema.optional(),
  about: z.string().optional(),
});

/**
 * What owners are told, in every language: whose it has to be is known when the mail is written. `otherwise`: that of the
 * persona. Pure.
 */
export const inEach = (otherwise: Language, words: (language: Language) => Said): SaidInEach => ({
  ...words(otherwise),
  in: Object.fromEntries(LANGUAGES.map((language) => [language, words(language)])),
});

const Undelivered = z.object({
  outbox_id: z.string(),
  failed: z.array(
    z.object({
      address: z.string(),
      /** Status code of RFC 3463; null where the server gave none. */
      status: z.string().nullable(),
      /** `uncertain`: the connection broke off after all of it was sent. */
      why: z.enum(['refused', 'unreachable', 'uncertain']),
    }),
  ),
});
/** What a notice about a mail that did not arrive is written from, when it is written. */
export type Undelivered = z.infer<typeof Undelivered>;

const Gathered: z.ZodType<GatheredKind> = z.union([
  z.enum([
    'dead_letter',
    'loop_limit',
    'sender_rate_limited',
    'hop_limit',
    'undelivered',
    'made_for_others',
    'drafted',
    'not_drafted',
  ]),
  z.templateLiteral(['run_failed:', z.string()]),
]);

const Single = z.union([z.object({ undelivered: Undelivered, to_asker: z.literal(true).optional() }), Words]);
/** One thing that owners are told. */
export type SingleNotice = z.infer<typeof Single>;

const NoticePayload = z.union([z.object({ gathered: Gathered }), Single]);
export type NoticePayload = z.infer<typeof NoticePayload>;
/** Mail to the owners. The id of a job is the purpose of its mail: one each, ever. */
export const notice = defineJob('notice', NoticePayload);

const Newest = z.object({ notice: Single });
/** The newest of the notices that were only counted. */
export const readNewest = (json: string): SingleNotice => Newest.parse(JSON.parse(json)).notice;

/** A notice that arriving mail can cause: owners get one an hour of its kind, and then all the others in one. */
export const gatheredAs = (kind: GatheredKind): Gather => ({ kind, later: gatheredNotice });

/** The notice that tells of all that was gathered since then. */
export const gatheredNotice: Gather['later'] = ({ kind, since, dueAt }) =>
  notice.job({ id: `notice:${kind}:since:${since}`, due_at: dueAt, payload: { gathered: kind } });

/** The owners hear of it, gathered with others; and, each time, whoever it was sent for. */
export function undeliveredNotices(outboxId: string, failed: Undelivered['failed'], now: number): readonly NewJob[] {
  const facts: Undelivered = { outbox_id: outboxId, failed };
  return [
    notice.job({
      id: `notice:undelivered:${outboxId}`,
      due_at: now,
      gather: gatheredAs('undelivered'),
      payload: { undelivered: facts },
    }),
    notice.job({
      id: `notice:undelivered_told:${outboxId}`,
      due_at: now,
      payload: { undelivered: facts, to_asker: true },
    }),
  ];
}
