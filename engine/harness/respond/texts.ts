import type { Gated } from '../evidence/gate.ts';
import type { PartialCode } from '../loop/decide.ts';
import type { EndDecision } from '../loop/loop.ts';
import type { CallOutcome, LoopState } from '../loop/state.ts';

const PARTIAL_REASONS: Record<PartialCode, string> = {
  max_tool_turns: 'it took more steps than one mail may take',
  max_tool_calls: 'it took more tool calls than one mail may take',
  budget: 'the budget for this work is used up',
  timeout: 'it took longer than one mail may take',
  duplicate_calls: 'the same step was repeated without getting further',
  consecutive_failures: 'several steps failed in a row',
  repeated_crash: 'the same step made the program stop several times',
  provider: 'the model service stopped answering',
  unparsable: 'the model service sent answers that could not be read',
  contract: 'something that was asked for is still missing',
};

const FAILURE_REASONS: Record<string, string> = {
  auth: 'the model service refused this gateway',
  rate_limited: 'the model service is too busy',
  overloaded: 'the model service is overloaded',
  timeout: 'the model service did not answer in time',
  unavailable: 'the model service could not be reached',
  context_overflow: 'the mail and its history are too long for the model',
  bad_request: 'the model service did not accept the request',
  tool_not_found: 'a tool that was needed is no longer installed',
  unsupported_runtime_action: 'a tool tried something that it has no permission for',
  outbound_transport_not_configured: 'no outgoing mail server is set up for it',
};

/** The text of the one final mail, for every way in which a run can end. */
export function finalText(decision: EndDecision, state: LoopState, gated: Gated | null = null): string {
  const said = (gated?.text ?? state.lastText).trim();
  switch (decision.decision) {
    case 'FINAL':
      return said || refusalText(decision);
    case 'FINAL_PARTIAL': {
      const why = `This answer is not complete: ${PARTIAL_REASONS[decision.reason]}.`;
      return [said, why, missing(gated), doneAndNotDone(state.outcomes)].filter(Boolean).join('\n\n');
    }
    case 'FAIL': {
      if (decision.reason === 'cancelled') {
        const what =
          'The work on your mail was stopped by the owner before it was finished; nothing more will happen by itself.';
        return [what, doneAndNotDone(state.outcomes)].filter(Boolean).join('\n\n');
      }
      const reason = FAILURE_REASONS[decision.reason] ?? 'something went wrong inside the gateway';
      const what = `I could not work on your mail: ${reason}. The owner has been told; nothing more will happen by itself.`;
      return [what, doneAndNotDone(state.outcomes)].filter(Boolean).join('\n\n');
    }
  }
}

const refusalText = (decision: EndDecision) =>
  decision.decision === 'FINAL' && decision.outcome === 'refusal' ? 'I cannot help with this request.' : '';

const missing = (gated: Gated | null): string =>
  gated === null || gated.missing.length === 0 ? '' : `Missing: ${gated.missing.join('; ')}.`;

function doneAndNotDone(outcomes: readonly CallOutcome[]): string {
  const list = (title: string, some: readonly CallOutcome[]) =>
    some.length === 0 ? [] : [`${title}: ${[...new Set(some.map(describe))].join(', ')}.`];
  return [
    ...list(
      'Done',
      outcomes.filter(({ ok }) => ok),
    ),
    ...list(
      'Not done',
      outcomes.filter(({ ok }) => !ok),
    ),
  ].join('\n');
}

const describe = ({ tool, code }: CallOutcome) => (code === null ? tool : `${tool} (${code})`);
