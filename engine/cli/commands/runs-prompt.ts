import { type ContentPart, EngineError, type GenerateRequest, type ModelMessage } from '#contract';
import { replayRun } from '../../harness/replay/replay.ts';
import { findRunOfAnything } from '../../queries/runs/find-run.ts';
import { personaFiles } from '../../storage/persona-files.ts';
import type { CommandContext, Outcome } from '../command.ts';

interface Asked {
  readonly call: number;
  readonly request: GenerateRequest;
}

/** What models were given in a run, rebuilt from what is on record as the loop built it then. */
export async function runsPrompt(context: CommandContext, id: string, call: string | undefined): Promise<Outcome> {
  const wanted = call === undefined ? null : Number(call);
  if (wanted !== null && !(Number.isInteger(wanted) && wanted > 0)) {
    throw new EngineError('usage', '--call takes the number of a model call: 1 is the first');
  }
  const workspace = context.open({ tolerant: true });
  const { persona, row: run } = await findRunOfAnything(workspace, id);
  const { artifacts } = personaFiles(workspace.dataDir, persona);
  const asked: Asked[] = [];
  const difference = await workspace.stores.use(persona, async (store) => {
    const loaded = await store.loadRun(run.id);
    if (!loaded) throw new EngineError('not_found', `no run has the id ${run.id}`);
    const { difference } = await replayRun({
      ...{ loaded, store, artifacts, answer: null, recursionSecret: '', log: workspace.log },
      requested: (number, request) => asked.push({ call: number, request }),
    });
    // What comes behind the last request made no difference to any.
    const last = loaded.events.findLast(({ type }) => type === 'model_call_started')?.seq ?? 0;
    return difference !== null && (difference.seq ?? 0) <= last ? difference : null;
  });
  const calls = asked.filter((one) => wanted === null || one.call === wanted);
  if (calls.length === 0) {
    throw new EngineError(
      'not_found',
      `run ${run.id} has ${wanted === null ? 'no model call' : `no call ${wanted}`} on record`,
    );
  }
  // Each request is held against the hash of what was sent; where the record says otherwise, nobody may believe this.
  const identical = difference === null;
  const doubt = identical ? [] : [`NOT as it was sent: ${difference.what} differs from the record.`];
  return {
    data: {
      prompt: {
        run_id: run.id,
        persona,
        identical,
        calls: calls.map(({ call, request }) => ({ call, ...shown(request) })),
      },
    },
    text: [...doubt, ...calls.map(inWords)].join('\n\n'),
    exitCode: identical ? 0 : 1,
  };
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

function inWords({ call, request }: Asked): string {
  const { model, system, tools, messages, toolChoice } = request;
  return [
    `==== call ${call}, ${model}, tools ${toolChoice}`,
    ...system.map((section) => `== system\n${section}`),
    ...tools.map((tool) => `== tool\n${JSON.stringify(tool)}`),
    ...messages.map((message) => `== ${message.role}\n${textOf(message)}`),
  ].join('\n');
}

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
