import type { Turn } from '../fakes/model-script.ts';

/** One mail, what the model says to it in turn, and what must come of it whatever the vendor. */
export interface Scenario {
  readonly name: string;
  readonly turns: readonly Turn[];
  /** The reasons of the loop's decisions, in order. */
  readonly decisions: readonly string[];
  /** Each call with `ok` or its code, in the order of their results. */
  readonly calls: readonly string[];
  /** `outcome`, or `outcome code`. */
  readonly outcome: string;
  readonly text: string;
}

const echo = (text: string) => ({ name: 'echo', arguments: { text } });
/** Of which no part stands there twice: a row of the same words is no answer. */
const LONG = Array.from({ length: 400 }, (_, n) => `Line ${n} of a long answer.`).join(' ');

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a plain answer',
    turns: [{ text: 'Nothing to do.' }],
    decisions: ['begin', 'answered'],
    calls: [],
    outcome: 'final',
    text: 'Nothing to do.',
  },
  {
    name: 'one call',
    turns: [{ calls: [echo('one')] }, { text: 'It said one.' }],
    decisions: ['begin', 'allowed', 'observed', 'answered'],
    calls: ['echo ok'],
    outcome: 'final',
    text: 'It said one.',
  },
  {
    name: 'thinking before a call',
    turns: [
      { thinking: 'I should look first.', text: 'Let me look.', calls: [echo('look')] },
      { thinking: 'Now I know.', text: 'Done.' },
    ],
    decisions: ['begin', 'allowed', 'observed', 'answered'],
    calls: ['echo ok'],
    outcome: 'final',
    text: 'Done.',
  },
  {
    name: 'parallel calls, one of which fails',
    turns: [
      { text: 'I ask three times.', calls: [echo('a'), { name: 'broken', arguments: { text: 'b' } }, echo('c')] },
      { text: 'Two of three.' },
    ],
    decisions: ['begin', 'allowed', 'observed', 'answered'],
    calls: ['echo ok', 'broken tool_failed', 'echo ok'],
    outcome: 'final',
    text: 'Two of three.',
  },
  {
    name: 'a change after a failed change',
    turns: [
      {
        calls: [
          { name: 'jam', arguments: { text: 'x' } },
          { name: 'jot', arguments: { text: 'y' } },
        ],
      },
      { text: 'One of two was written.' },
    ],
    decisions: ['begin', 'allowed', 'observed', 'answered'],
    // It needs nothing of the other one.
    calls: ['jam tool_failed', 'jot ok'],
    outcome: 'final',
    text: 'One of two was written.',
  },
  {
    name: 'a change that builds on a failed change',
    turns: [
      {
        calls: [
          { name: 'jam', arguments: { text: 'plan.md' } },
          { name: 'jot', arguments: { text: 'plan.md' } },
        ],
      },
      { text: 'Nothing was written.' },
    ],
    decisions: ['begin', 'allowed', 'observed', 'answered'],
    calls: ['jam tool_failed', 'jot skipped'],
    outcome: 'partial contract',
    text: 'Nothing was written.',
  },
  {
    name: 'a failing call',
    turns: [{ calls: [{ name: 'broken', arguments: { text: 'now' } }] }, { text: 'It does not work.' }],
    decisions: ['begin', 'allowed', 'observed', 'answered'],
    calls: ['broken tool_failed'],
    outcome: 'final',
    text: 'It does not work.',
  },
  {
    name: 'arguments that are no JSON, then of a wrong type, then right',
    turns: [
      { calls: [{ name: 'echo', rawArguments: '{"text": plan' }] },
      { calls: [{ name: 'echo', arguments: { text: 5 } }] },
      { calls: [echo('plan')] },
      { text: 'At last.' },
    ],
    decisions: ['begin', 'calls_invalid', 'calls_invalid', 'allowed', 'observed', 'answered'],
    calls: ['echo invalid_arguments', 'echo invalid_arguments', 'echo ok'],
    outcome: 'final',
    text: 'At last.',
  },
  {
    name: 'a tool that does not exist',
    turns: [{ calls: [{ name: 'make_coffee', arguments: {} }] }, { text: 'I cannot make coffee.' }],
    decisions: ['begin', 'calls_unknown', 'answered'],
    calls: ['make_coffee tool_unknown'],
    outcome: 'final',
    text: 'I cannot make coffee.',
  },
  {
    name: 'a tool that is not allowed',
    turns: [{ calls: [{ name: 'search_mail', arguments: { query: 'x' } }] }, { text: 'I may not search.' }],
    decisions: ['begin', 'calls_denied', 'answered'],
    calls: ['search_mail policy_denied'],
    outcome: 'final',
    text: 'I may not search.',
  },
  {
    name: 'a rate limit, then an answer',
    turns: [{ status: 429, retryAfter: 1 }, { text: 'Here I am again.' }],
    decisions: ['begin', 'begin', 'answered'],
    calls: [],
    outcome: 'final',
    text: 'Here I am again.',
  },
  {
    name: 'a fault between a call and its answer',
    turns: [{ calls: [echo('kept')] }, { status: 500 }, { text: 'It said kept.' }],
    decisions: ['begin', 'allowed', 'observed', 'begin', 'answered'],
    calls: ['echo ok'],
    outcome: 'final',
    text: 'It said kept.',
  },
  {
    name: 'a connection that breaks in mid-answer',
    turns: [{ text: LONG, cut: true }, { text: LONG }],
    decisions: ['begin', 'begin', 'answered'],
    calls: [],
    outcome: 'final',
    text: LONG,
  },
  {
    name: 'an answer that is not the vendor’s',
    turns: [{ body: '<html>Welcome to the hotel</html>' }, { text: 'Sorry, that was the hotel.' }],
    decisions: ['begin', 'begin', 'answered'],
    calls: [],
    outcome: 'final',
    text: 'Sorry, that was the hotel.',
  },
  {
    name: 'an empty answer',
    turns: [{ thinking: 'Hm.', text: '' }, { text: 'Now with words.' }],
    decisions: ['begin', 'repair', 'answered'],
    calls: [],
    outcome: 'final',
    text: 'Now with words.',
  },
  {
    name: 'a prompt that is too long, then compacted',
    turns: [{ overflow: true }, { text: 'Shorter it works.' }],
    decisions: ['begin', 'begin', 'answered'],
    calls: [],
    outcome: 'final',
    text: 'Shorter it works.',
  },
  {
    name: 'a prompt that stays too long',
    turns: [{ overflow: true }, { overflow: true }],
    decisions: ['begin', 'begin', 'context_overflow'],
    calls: [],
    outcome: 'failed context_overflow',
    text: 'the mail and its history are too long for the model',
  },
  {
    name: 'a refusal',
    turns: [{ refusal: true, text: 'I will not do that.' }],
    decisions: ['begin', 'refused'],
    calls: [],
    outcome: 'refusal',
    text: '',
  },
  {
    name: 'a vendor that refuses what follows a call',
    // It is asked once more, with ids of ours and plain words.
    turns: [{ calls: [echo('so far')] }, { status: 400, message: 'not that' }, { status: 400, message: 'not that' }],
    decisions: ['begin', 'allowed', 'observed', 'begin', 'provider'],
    calls: ['echo ok'],
    outcome: 'partial provider',
    text: 'the model service stopped answering',
  },
];
