import type { PolicyCode } from '#contract';
import { OWN_WORDS } from '../record/own-words.ts';
import { isByRisk } from './own-words/verdict.ts';
import type { Permission, PermissionQuestion } from './permission.ts';
import { BY_STANDING } from './standing-rules.ts';
import { tierAllows } from './surface.ts';

/** What one judge says; `by` is what the record names. */
type Judged =
  | { readonly verdict: 'allow' | 'ask'; readonly by: string }
  | { readonly verdict: 'deny'; readonly code: PolicyCode; readonly by: string };

/** Looks at one thing of a call. Null: it has nothing to say. Pure, so that a replay judges as the run did. */
interface Judge {
  readonly name: string;
  readonly judge: (asked: PermissionQuestion) => Judged | null;
}

const deny = (by: string, code: PolicyCode = 'policy_denied'): Judged => ({ verdict: 'deny', code, by });
const ask = (by: string): Judged => ({ verdict: 'ask', by });
const fromHook = (asked: PermissionQuestion, verdict: 'ask' | 'deny') =>
  asked.restrictions?.find((restriction) => restriction.verdict === verdict);

/** A correspondent's run goes nowhere but to those for whom the mail was sent that it answers. */
const isToldBack = ({ tellsBack, mail }: PermissionQuestion): boolean =>
  tellsBack === true && (mail === 'owners' || mail === 'asker');

/**
 * All judges of a call, in their order: the first that says something has the word. Those that deny come first, then
 * the question that a hook wants to be asked, then mail to owners and what an owner's own words ask for, then the questions of
 * the gateway.
 */
export const JUDGES: readonly Judge[] = [
  { name: 'surface', judge: ({ surface }) => surface && deny(surface.by, surface.code) },
  {
    name: 'tier',
    judge: (asked) => (tierAllows(asked.tier, asked.risk) || isToldBack(asked) ? null : deny(`tier ${asked.tier}`)),
  },
  {
    name: 'denied by policy',
    judge({ layers }) {
      const layer = layers.find(({ decision }) => decision === 'deny');
      return layer ? deny(layer.by) : null;
    },
  },
  {
    // An owner's sentence is law from the next call on, whoever asks for the call and whatever the configuration lets go.
    name: 'denied by a standing rule',
    judge: ({ standing }) => (standing?.deny ? deny(`${BY_STANDING}${standing.deny.id}`) : null),
  },
  { name: 'quota', judge: ({ quota }) => (quota ? deny(`quota ${quota.limit}`, quota.code) : null) },
  {
    // Nobody knows whose words these are, so nobody is asked about them either.
    name: 'values of nobody',
    judge: ({ tier, values }) => (tier === 'unauthenticated' && values ? deny('values') : null),
  },
  {
    name: 'hooks',
    judge(asked) {
      const denied = fromHook(asked, 'deny');
      if (denied) return deny(denied.by);
      const questioned = fromHook(asked, 'ask');
      return questioned ? ask(questioned.by) : null;
    },
  },
  {
    // What an owner has not seen may hold for a long time, so no setting and no rule lets it go by itself.
    name: 'widening',
    judge: ({ widens }) => (widens ? ask('widening') : null),
  },
  { name: 'mail to owners', judge: ({ mail }) => (mail === 'owners' ? { verdict: 'allow', by: 'owner' } : null) },
  {
    // They asked for what came back, and are sent its words by the gateway anyway.
    name: 'mail to who asked',
    judge: (asked) => (isToldBack(asked) ? { verdict: 'allow', by: 'asker' } : null),
  },
  {
    // It is theirs to take back. Where others' words were read these may be what wants it gone, and where an owner has
    // named the tool, that is what they want to be asked.
    name: 'own words forgotten',
    judge: ({ forgetsOwn, tainted, layers }) =>
      forgetsOwn && !tainted && isByRisk(layers) ? { verdict: 'allow', by: 'own facts' } : null,
  },
  {
    // Everything that denies, and a hook's question, has been heard; what a rule or a tool asks about by name is asked about.
    name: 'own words',
    judge: ({ layers, ownWords }) =>
      ownWords?.verdict === 'counts' && isByRisk(layers) ? { verdict: 'allow', by: OWN_WORDS } : null,
  },
  {
    // The most specific wins: a rule, then the tool by name, then its risk.
    name: 'asked by policy',
    judge: ({ layers: [chosen] }) => (chosen?.decision === 'allow' ? null : ask(chosen?.by ?? 'default')),
  },
  {
    // Text from elsewhere may be what asks for this mail; a person looks before it reaches somebody new.
    name: 'mail to somebody new',
    judge: ({ tainted, mail }) => (tainted && mail === 'new' ? ask('taint') : null),
  },
  {
    // The same goes for what can act under somebody's key, unless an owner has let this very tool go.
    name: 'secrets',
    judge: ({ tainted, secrets, layers }) => (tainted && secrets && layers.length === 1 ? ask('taint') : null),
  },
  {
    // By such a value it reaches whom an injected text wants, or carries out what was read; a person looks first.
    name: 'values',
    judge: ({ values }) => (values ? ask('values') : null),
  },
];

/** What the judges make of a call: allowed by the layer that was chosen where none of them has a word against it. */
export function judge(asked: PermissionQuestion): Permission {
  const { risk, layers, canAsk } = asked;
  for (const each of JUDGES) {
    const judged = each.judge(asked);
    if (judged === null) continue;
    const { by } = judged;
    if (judged.verdict === 'deny') return { verdict: 'deny', code: judged.code, risk, by, asked };
    if (judged.verdict === 'allow') return { verdict: 'allow', risk, by, asked };
    return canAsk
      ? { verdict: 'approve', risk, by, asked }
      : { verdict: 'deny', code: 'policy_requires_approval', risk, by, asked };
  }
  return { verdict: 'allow', risk, by: layers[0]?.by ?? 'default', asked };
}
