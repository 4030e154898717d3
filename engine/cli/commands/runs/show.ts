import { type ContentPart, EngineError, type GenerateRequest, type ModelMessage } from '#contract';
import type { RecordedRequest, RunPrompts } from '../../../queries/runs/prompt.ts';
import { type RunWithEvents, runWithEvents } from '../../../queries/runs/runs.ts';
import type { StoredRun } from '../../../storage/types/runs.ts';
import { defineCommand } from '../../command/define.ts';
import { brief } from '../../text/brief.ts';
import { helpersAskedLines } from '../../text/helpers-asked.ts';
import { indented } from '../../text/indented.ts';
import { atHere, clockHere, zoneLine } from '../../text/local-time.ts';
import { pieceLines } from '../../text/pieces.ts';

type Shown = { readonly run: RunWithEvents; readonly row: StoredRun } | { readonly prompts: RunPrompts };

export const show = defineCommand({
  name: 'runs show',
  summary: 'One run with its events',
  arguments: ['<id>'],
  options: {
    prompt: { flags: '--prompt', about: 'what models were given in it, word for word' },
    call: { flags: '--call <n>', about: 'with --prompt: of this model call only' },
  },
  async run({ open }, { args: [id], options }): Promise<Shown> {
    if (!options.prompt) return runWithEvents(open({ tolerant: true }), id);
    const wanted = options.call === undefined ? null : Number(options.call);
    if (wanted !== null && !(Number.isInteger(wanted) && wanted > 0)) {
      throw new EngineError('usage', '--call takes the number of a model call: 1 is the first');
    }
    const { promptsOf } = await import('../../../queries/runs/prompt.ts');
    return { prompts: await promptsOf(open({ tolerant: true }), id, wanted) };
  },
  json: (shown) => ('prompts' in shown ? { prompt: promptsJson(shown.prompts) } : { run: shown.run }),
  text: (shown) => ('prompts' in shown ? promptsText(shown.prompts) : runText(shown)),
  exitCode: (shown) => ('prompts' in shown && shown.prompts.difference !== null ? 1 : 0),
});

function runText({ run, row }: Exclude<Shown, { prompts: RunPrompts }>): string {
  return [
    `Run ${run.id} of ${run.persona}: ${row.status}${row.outcome ? `, ${row.outcome}` : ''}${row.code ? ` (${row.code})` : ''}`,
    `  mail   ${run.message_id}`,
    `  reply  ${run.reply_message_id ?? 'none'}`,
    ...pieceLines(run.pieces).map((line, at) => `  ${at === 0 ? 'read as' : '       '}  ${line}`),
    '',
    ...run.events.map(
      ({ seq, type, at, data }) => `${String(seq).padStart(4)}  ${clockHere(at)}  ${type.padEnd(20)}  ${brief(data)}`,
    ),
    ...(run.suspensions ? ['', 'Calls that wait, or have waited, for what they began:'] : []),
    ...(run.suspensions ?? []).map(
      ({ call_id, tool, kind, state, due_at }) =>
        `  ${call_id}  ${tool}  ${kind}  ${state}  until ${due_at === null ? 'it comes' : atHere(due_at)}`,
    ),
    ...(run.helpers_asked ? ['', 'What its helpers have asked owners for:'] : []),
    ...helpersAskedLines(run.helpers_asked).map((line) => `  ${line}`),
    ...(run.sources.length === 0 ? [] : ['', 'What the answer could draw on:']),
    ...run.sources.map(
      (one) =>
        `  ${atHere(one.observed_at)}  ${one.call_id}  ${one.tool} ${brief(one.arguments)}  from ${brief(one.source)}${one.artifact ? `  artifact ${one.artifact}` : ''}`,
    ),
    '',
    zoneLine(),
  ].join('\n');
}

const promptsJson = ({ run_id, persona, difference, asked }: RunPrompts): object => ({
  run_id,
  persona,
  identical: difference === null,
  calls: asked.map(({ call, request }) => ({ call, ...shown(request) })),
});

function promptsText({ difference, asked }: RunPrompts): string {
  const doubt = difference === null ? [] : [`NOT as it was sent: ${difference} differs from the record.`];
  return [...doubt, ...asked.map(inWords)].join('\n\n');
}

const shown = ({ model, system, tools, messages, toolChoice, maxOutputTokens, temperature }: GenerateRequest) => ({
  model,
  system,
  tools,
  messages,
  tool_choice: toolChoice,
  max_output_tokens: maxOutputTokens,
  temperature,
});

function inWords({ call, request }: RecordedRequest): string {
  const { model, system, tools, messages, toolChoice } = request;
  return [
    `==== call ${call}, ${model}, tools ${toolChoice}`,
    ...system.flatMap((section) => ['== system', inside(section)]),
    ...tools.flatMap((tool) => ['== tool', inside(JSON.stringify(tool))]),
    ...messages.flatMap((message) => [`== ${message.role}`, inside(textOf(message))]),
  ].join('\n');
}

/** A line of somebody's mail is not to look like one of these. */
const inside = (text: string): string => indented(`  ${text}`, '  ');

function textOf(message: ModelMessage): string {
  switch (message.role) {
    case 'user':
      return message.content.map(partText).join('\n');
    case 'assistant':
      return [
        ...(message.text === '' ? [] : [message.text]),
        ...message.toolCalls.map(
          ({ id, name, arguments: args, rawArguments }) =>
            `[call ${id}] ${name} ${rawArguments ?? JSON.stringify(args)}`,
        ),
      ].join('\n');
    case 'tool':
      return message.results.map(({ callId, content }) => `[result of ${callId}]\n${content}`).join('\n');
  }
}

const partText = (part: ContentPart): string =>
  part.type === 'text' ? part.text : `[picture, ${part.mediaType}, ${part.data.length} characters of base64]`;
