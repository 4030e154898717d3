import type { Json } from '#contract';
import { canonicalJson } from '../../lib/json.ts';
import type { Playbook } from '../../record/codec/playbook.ts';
import { witnessesOf } from './audience.ts';
import type { ToolWorld } from './candidate.ts';
import { brought, effectKey } from './examples.ts';
import type { ExampleScore } from './score.ts';

export type Unproven =
  | 'unproven_step'
  | 'unguarded_step'
  | 'unproven_default'
  | 'unproven_denial'
  | 'denies_expected'
  | 'unmet_requirement'
  | 'unproven_answer';

/** How many good runs have to have done a thing before a playbook does it by itself. */
const PROOFS = 2;

type Found = { readonly reason: Unproven; readonly detail: string } | null;
type Scored = readonly ExampleScore[];

/**
 * A part of a playbook that no example bears out: behind a condition that no example meets, anything could stand. Null: all
 * of it has been seen to be right. Pure.
 */
export function unprovenIn(playbook: Playbook, scored: Scored, world: Pick<ToolWorld, 'scopeOf' | 'changes'>): Found {
  const good = scored.filter(({ example }) => example.verdict === 'good');
  const { kind } = playbook.meta;
  const witness = witnessesOf(
    good.map(({ example }) => example),
    kind,
  );
  const count: Count = (those) => new Set(those.map(({ example }) => witness(example))).size;
  return (
    stepsOf(playbook, good, count) ??
    guardOf(playbook, world) ??
    defaultsOf(playbook, good, count) ??
    denialsOf(playbook, scored) ??
    requirementsOf(playbook, good, world) ??
    answerOf(playbook, good, count)
  );
}

/** By how many witnesses these are borne out. */
type Count = (those: Scored) => number;

function stepsOf({ steps }: Playbook, good: Scored, count: Count): Found {
  for (const [index, { tool }] of steps.entries()) {
    const made = good.filter(({ played }) => played.calls.some(({ step, isKnown }) => step === index + 1 && isKnown));
    if (count(made) < PROOFS)
      return { reason: 'unproven_step', detail: `step ${index + 1} (${tool}) was right in ${count(made)} good runs` };
  }
  return null;
}

/** Runs without calls are no examples, so a mail has to say by itself that a change is for it; a task says so by its kind. */
function guardOf({ meta, steps }: Playbook, { changes }: Pick<ToolWorld, 'changes'>): Found {
  if (meta.kind.startsWith('task:')) return null;
  const at = steps.findIndex(({ tool }, index) => changes(tool) && !isGuarded(steps, index));
  return at < 0 ? null : { reason: 'unguarded_step', detail: `step ${at + 1} would be made for any mail` };
}

const LABELLED = /\{\{ ?mail\.(?:line|word)_after /;
const SAYS = /^(?:mail\.(?:subject|text)|thread\.subject)$/;

const isGuarded = (steps: Playbook['steps'], index: number): boolean =>
  (steps[index]?.when ?? []).some(({ of, is }) => SAYS.test(of) && (is === 'containing' || is === 'equal')) ||
  // Where it cannot be filled, none of the steps after it are made.
  steps.slice(0, index + 1).some(({ when = [], arguments: args }) => {
    return when.length === 0 && LABELLED.test(JSON.stringify(args));
  });

/** A default has to be what all good runs gave. */
function defaultsOf({ defaults }: Playbook, good: Scored, count: Count): Found {
  for (const [tool, own] of Object.entries(defaults)) {
    const using = good.filter(({ example }) => brought(example).some((call) => call.tool === tool));
    for (const [name, value] of Object.entries(own)) {
      const isSame = ({ example }: ExampleScore): boolean =>
        brought(example).every((call) => {
          if (call.tool !== tool) return true;
          const given = argumentIn(call.arguments, name);
          return given !== undefined && canonicalJson(given) === canonicalJson(value);
        });
      if (count(using) < PROOFS || !using.every(isSame))
        return { reason: 'unproven_default', detail: `${tool}: ${name} is not what good runs gave` };
    }
  }
  return null;
}

const argumentIn = (args: Json, name: string): Json | undefined =>
  typeof args === 'object' && args !== null && !Array.isArray(args) && Object.hasOwn(args, name)
    ? (args as { readonly [key: string]: Json })[name]
    : undefined;

/** A rule has to keep something back that was wrong, and nothing that was right. */
function denialsOf({ narrow }: Playbook, scored: Scored): Found {
  const used = new Set<string>();
  for (const { example, played } of scored) {
    const forbidden = new Set(example.forbidden.map(effectKey));
    for (const { call, rule } of played.denied) {
      if (forbidden.has(effectKey(call))) used.add(rule);
      else if (call.ok && example.verdict === 'good')
        return { reason: 'denies_expected', detail: `rule ${rule} denies ${call.tool}, which a good run used` };
    }
  }
  const unused = narrow.deny.find(({ rule }) => !used.has(rule));
  return unused ? { reason: 'unproven_denial', detail: `rule ${unused.rule} keeps nothing back that was wrong` } : null;
}

function requirementsOf({ requires }: Playbook, good: Scored, { scopeOf }: Pick<ToolWorld, 'scopeOf'>): Found {
  for (const { example } of good) {
    const tools = brought(example).map(({ tool }) => tool);
    const had = new Set([...tools, ...tools.map(scopeOf)]);
    const unmet = requires.find((one) => !had.has(one));
    if (unmet !== undefined)
      return { reason: 'unmet_requirement', detail: `a good run had no result of ${unmet}, which it requires` };
  }
  return null;
}

/** An answer that no model writes says nothing that good answers have not said: its own words are theirs. */
function answerOf({ answer }: Playbook, good: Scored, count: Count): Found {
  if (answer.trim() === '') return null;
  const filled = good.filter(({ played }) => played.answer !== null);
  if (count(filled) < PROOFS) return { reason: 'unproven_answer', detail: 'it was filled in too few good runs' };
  const own = wordsIn(answer.replaceAll(/\{\{[^{}]{0,200}\}\}/g, ' '));
  const said = filled.map((one) => ({ one, words: new Set(wordsIn(one.example.answer)) }));
  const saying = (word: string): Scored => said.flatMap(({ one, words }) => (words.has(word) ? [one] : []));
  const isStrange = own.some((word) => count(saying(word)) < PROOFS);
  return isStrange ? { reason: 'unproven_answer', detail: 'it has words that too few good answers have' } : null;
}

/** Between blanks, without marks around them. */
const wordsIn = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^[^\p{L}\p{N}]{1,20}/u, '').replace(/[^\p{L}\p{N}]{1,20}$/u, ''))
    .filter((word) => word !== '');
