import { z } from 'zod';
import type { ModelMessage } from '#contract';
import { fenceGoneOnWith } from '../../lib/text/open-end.ts';
import { short } from '../../lib/text/short.ts';
import { BUDGET_LIMITS } from '../../storage/types/budget.ts';
import {
  estimates,
  failed,
  hookChecks,
  leftOut,
  list,
  partialCode,
  plainness,
  requestMark,
  response,
  target,
} from '../codec/fields.ts';
import { answerIn } from '../declared.ts';
import { goneOnWith, isWhole } from '../gone-on.ts';
import { addCalls, type Folding } from '../state.ts';
import { event } from './define.ts';

// What models are asked, what they answer, and what is decided of that.

export const modelEvents = {
  /** Later mails of the same sender came before the answer was committed, and this run answers them as well. */
  mail_taken_in: event(
    {
      mails: list(z.object({ run_id: z.string().nullable(), message_id: z.string() })),
      /** What the model is told, with their words: the next turn. */
      text: z.string(),
      /** What their sender wrote in them, and nothing else. */
      words: z.string(),
    },
    {
      fold(state, { mails, text, words }) {
        state.furtherMails += mails.length;
        state.furtherWords += `\n\n${words}`;
        state.messages.push({ role: 'user', content: [{ type: 'text', text }] });
      },
      lines: ({ mails }) => [
        `  ${mails.length} later ${mails.length === 1 ? 'mail is' : 'mails are'} answered with it`,
      ],
    },
  ),
  model_call_started: event(
    {
      call: z.number(),
      provider: z.string(),
      model: z.string(),
      /** Fingerprint of the tools that the model was shown. */
      surface: z.string().optional(),
      tool_choice: z.enum(['auto', 'none']).optional(),
      messages: z.number().optional(),
      max_output_tokens: z.number().nullish(),
      model_info: z
        .object({ context_tokens: z.number(), max_output_tokens: z.number(), tools: z.boolean() })
        .optional(),
      request: requestMark.optional(),
      reserved_usd: z.number().optional(),
      /** The budget that granted fewer output tokens than the model could write. */
      capped: z.enum(BUDGET_LIMITS).nullish(),
      /** Results that were shown shorter than they were observed. */
      fitted: z.number().optional(),
      /** Tools and pictures that this model's vendor does not take, with why. */
      left_out: list(leftOut).optional(),
      /** Names of the tools, where these are fewer than the run began with. */
      tools: list(z.string()).optional(),
      /** The models that may be asked, where they are not those that the run began with. */
      targets: list(target).optional(),
    },
    {
      fold(state, { surface, tools, targets, capped }) {
        state.targets = targets ?? null;
        state.exposed = { fingerprint: surface ?? null, names: tools ?? null };
        state.cappedBy = capped ?? null;
      },
      lines: ({ provider, model, messages, request, left_out = [] }) => [
        `  was asked    ${provider}/${model}, ${messages} messages${request?.sha256 ? `, request ${request.sha256}` : ''}`,
        ...left_out.map(({ kind, name, why }) => `  without      the ${kind} ${short(name)}: ${why}`),
      ],
    },
  ),
  model_call_ended: event(
    {
      ok: z.boolean(),
      provider: z.string(),
      model: z.string(),
      response: response.optional(),
      /** Null: nobody knows the price. */
      cost_usd: z.number().nullish(),
      ...estimates,
      ms: z.number(),
      /** Its place among the targets; one that rests may have been passed over. */
      at: z.number().optional(),
      ...failed,
      /** How long the vendor wants to be left alone; null where a repeat is in vain. */
      retry_after_ms: z.number().nullish(),
      /** Targets further down that were not asked: the run has tools, and they cannot call any. */
      without_tools: list(z.string()).optional(),
      /** Its provider is left alone for a while, by everybody; that was stored before this. */
      rested: z.literal(true).optional(),
      /** What the failure leads to: the same target again, the next one, or the end. */
      next: z.enum(['retry', 'next_target', 'compact', 'plainer', 'exhausted']).optional(),
      plain: plainness.optional(),
    },
    {
      fold(state, ended) {
        if (ended.ok && ended.response) {
          const { text, toolCalls, providerParts, finish, usage, usageSaid } = ended.response;
          if (usageSaid) {
            const { provider, model } = ended;
            const [said, own] = [usageSaid.input + usageSaid.output, usage.input + usage.output];
            state.usageDiffers = { provider, model, said, own };
          }
          // It broke off because the budget has no more for it.
          if (finish === 'length') state.budgetSpent = state.cappedBy;
          const turn = { role: 'assistant', text, toolCalls, ...(providerParts ? { providerParts } : {}) } as const;
          if (finish === 'refusal' || isWhole(ended.response)) addModelTurn(state, turn);
          else addCutTurn(state, turn);
          return;
        }
        state.lastProviderCode = ended.code ?? null;
        state.providerFailures += 1;
        if (ended.next === 'next_target') {
          state.target = (ended.at ?? state.target) + 1;
          state.providerFailures = 0;
          state.plain = 0;
        }
        if (ended.next === 'compact') state.compacted = true;
        if (ended.next === 'plainer') state.plain = ended.plain ?? 0;
      },
    },
  ),
  decision: event(
    {
      decision: z.enum(['CONTINUE_MODEL_LOOP', 'EXECUTE_TOOL', 'WAIT_FOR_APPROVAL', 'FINAL', 'FINAL_PARTIAL', 'FAIL']),
      reason: z.string(),
      outcome: z.string().optional(),
      lastCall: partialCode.optional(),
      /** The model said nothing, which is no answer that could not be read. */
      empty: z.boolean().optional(),
      /** What the model is told about its answer, and of which kind that is. */
      gap: z.string().optional(),
      about: list(z.enum(['contract', 'claims', 'changed', 'settled', 'hooks'])).optional(),
      step: z.number(),
      active_ms: z.number().optional(),
      /** What the final gate found of the answer, when, and which sources said something else by then. */
      contract: z.unknown().optional(),
      /** What was asked for, or is said to be done, and is on record nowhere. */
      undone: list(z.string().nullable()).exactOptional(),
      /** Of when the oldest data are that it may rest on, where they are old. */
      data_until: z.number().exactOptional(),
      /** It may rest on what others have changed since it was looked up, and says so nowhere. */
      changed: z.literal(true).exactOptional(),
      claims: list(z.unknown()).optional(),
      limitations: list(z.unknown()).optional(),
      unknown_ids: list(z.unknown()).optional(),
      /** Sections of the knowledge that it opened or cites: `quote`, `paraphrase`, `drifted`, `uncited` or `none`. */
      citations: list(z.unknown()).optional(),
      judged_at: z.number().optional(),
      drifted: list(z.string()).optional(),
      /** What the run was told to wait and was decided by then, in words for the model. */
      settled: list(z.string()).exactOptional(),
      /** What hooks found of it, and which of them could not look. */
      hooks: hookChecks.optional(),
      /** Who cancelled the run. */
      by: z.string().nullish(),
      /** What it waited for in vain. */
      waited_for: z.string().optional(),
    },
    {
      fold(state, { decision, reason, lastCall, about, gap }) {
        if (decision !== 'CONTINUE_MODEL_LOOP') return;
        if (lastCall) state.lastCall = lastCall;
        if (reason === 'repair') {
          state.repairs += 1;
          // It is asked to answer anew, and not to go on.
          state.begunText = '';
          state.begunOpen = false;
        }
        if (reason === 'continue' || reason === 'open_end') state.continued += 1;
        if (reason === 'open_end') {
          state.begunText = state.lastText;
          state.begunOpen = true;
        }
        state.gapsNamed.push(...(about ?? []));
        // If the answer was a call, its result says so.
        if (gap !== undefined && state.pending === null)
          state.messages.push({ role: 'user', content: [{ type: 'text', text: gap }] });
      },
    },
  ),
};

function addModelTurn(state: Folding, turn: Extract<ModelMessage, { role: 'assistant' }>): void {
  state.modelCalls += 1;
  state.providerFailures = 0;
  state.lastProviderCode = null;
  state.declared = answerIn(turn.toolCalls);
  state.isWaiting = false;
  state.saidBeside = false;
  const silent = turn.text.trim() === '' && turn.toolCalls.length === 0;
  // Sent back, an answer of nothing would stand last in the next request, which vendors refuse as a prefill.
  if (silent) return;
  if (turn.text.trim() !== '') state.lastText = turn.toolCalls.length === 0 ? goneOn(state, turn.text) : turn.text;
  state.begunText = '';
  state.begunOpen = false;
  if (turn.toolCalls.length === 0) state.messages.push(turn);
  else addCalls(state, turn);
}

const goneOn = ({ begunText, begunOpen }: Folding, next: string): string =>
  (begunOpen ? fenceGoneOnWith(begunText, next) : null) ?? goneOnWith(begunText, next);

/** What broke off: its text counts as far as it goes, and its calls were never asked for, so none can be made. */
function addCutTurn(state: Folding, { text, toolCalls }: Extract<ModelMessage, { role: 'assistant' }>): void {
  const before = state.begunText;
  const said = answerIn(toolCalls)?.text ?? (toolCalls.length === 0 ? text : '');
  addModelTurn(state, { role: 'assistant', text: said, toolCalls: [] });
  state.begunText = goneOnWith(before, said);
  if (state.begunText !== '') state.lastText = state.begunText;
}
