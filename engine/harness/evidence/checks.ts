import type { Gap, GapKind, GateVerdict } from '../../record/decisions.ts';
import type { Judged } from './claims.ts';
import { type ContractVerdict, gapOf, wantedGapOf } from './contract.ts';
import type { HookChecks } from './hook-checks.ts';

/** What is known of an answer when it is checked. */
interface Answer {
  readonly contract: ContractVerdict;
  readonly claims: readonly Judged[];
  readonly found: HookChecks['found'];
}

/** Looks at one thing of an answer. What it names, the model is told, once; the words of the answer stay as they are. */
interface AnswerCheck {
  readonly name: GapKind;
  readonly gaps: (answer: Answer) => readonly string[];
}

const MAX_CLAIMS = 10;

/** All checks of an answer, in the order in which the model is told of them. Pure. */
export const CHECKS: readonly AnswerCheck[] = [
  {
    name: 'contract',
    gaps: ({ contract: { missing, wanted = [] } }) => [...missing.map(gapOf), ...wanted.map(wantedGapOf)],
  },
  {
    name: 'claims',
    gaps: ({ claims }) =>
      claims
        .filter(({ verdict }) => verdict === 'unsupported' || verdict === 'contradicted')
        .slice(0, MAX_CLAIMS)
        .map(({ kind, n, claim, why }) => `${kind} [${n}] "${claim}": ${why}.`),
  },
  { name: 'hooks', gaps: ({ found }) => found.map(({ text }) => text) },
];

/** What the decision looks at. */
export const verdictOf = (answer: Answer): GateVerdict => ({
  gaps: CHECKS.flatMap(({ name: check, gaps }) => gaps(answer).map((text): Gap => ({ check, text }))),
  isIncomplete: answer.contract.missing.length + answer.contract.not_done.length + answer.found.length > 0,
});
