import type { Habits } from './robots.ts';

/** `security.json` `loop_guard`. */
export interface Limits {
  readonly max_replies_per_thread_per_hour: number;
  readonly max_replies_per_sender_per_hour: number;
  readonly fast_reply_s: number;
  readonly max_fast_replies: number;
}

/** One persona and what it gets into; `most` is what may leave at the very most. */
export interface Loop {
  readonly persona: string;
  readonly what: string;
  /** The domain whose mailbox answers. */
  readonly domain: string;
  readonly partner: Habits | 'bouncer' | 'other_gateway';
  /** The partner's address is the persona's owner. */
  readonly owner?: boolean;
  readonly most: { readonly answers: number; readonly notices: number };
}

/** Everything that is known to answer mail endlessly, one persona for each. */
export function loopsFor(limits: Limits): readonly Loop[] {
  const perThread = limits.max_replies_per_thread_per_hour;
  const perSender = limits.max_replies_per_sender_per_hour;
  // The first answer is not fast, and on a slow machine some of those that should be are not: then the thread's
  // limit is the one that holds.
  const fast = { answers: perThread, notices: 1 };
  const slowMs = limits.fast_reply_s * 1000 + 300;
  return [
    { persona: 'ada', what: 'another gateway', domain: 'agents-b.localhost', partner: 'other_gateway', most: fast },
    { persona: 'ben', what: 'an autoresponder', domain: 'away.example', partner: {}, most: fast },
    {
      persona: 'cem',
      what: 'an autoresponder that takes its time',
      domain: 'slow.example',
      partner: { delayMs: slowMs },
      most: { answers: perThread, notices: 1 },
    },
    {
      persona: 'dora',
      what: 'an autoresponder that names no mail',
      domain: 'forgetful.example',
      partner: { forgetful: true },
      most: { answers: perSender, notices: 1 },
    },
    {
      persona: 'eli',
      what: 'a ticket system with a new address each time',
      domain: 'tickets.example',
      partner: { shifting: true },
      most: { answers: perThread, notices: 1 },
    },
    {
      persona: 'fay',
      what: 'a robot that goes on by itself',
      domain: 'nagging.example',
      partner: { nagEveryMs: 250 },
      most: fast,
    },
    {
      persona: 'gus',
      what: 'an address that bounces',
      domain: 'gone.example',
      partner: 'bouncer',
      most: { answers: 1, notices: 1 },
    },
    {
      persona: 'hal',
      what: 'an address that bounces as if a person wrote',
      domain: 'rude.example',
      partner: { subject: 'Your mail', text: 'Your message could not be delivered. The mailbox does not exist.' },
      most: fast,
    },
    {
      persona: 'ida',
      what: 'an owner whose autoresponder answers notices, too',
      domain: 'boss.example',
      partner: {},
      owner: true,
      most: { answers: perSender, notices: Math.ceil(perSender / perThread) + 1 },
    },
    {
      persona: 'jon',
      what: 'an owner whose address bounces',
      domain: 'moved.example',
      partner: 'bouncer',
      owner: true,
      most: { answers: 1, notices: 1 },
    },
  ];
}

export const partnerOf = ({ domain }: Loop): string =>
  domain === 'agents-b.localhost' ? `bea@${domain}` : `robot@${domain}`;
