import type { ContentPart, GenerateRequest, ModelMessage } from '#contract';
import type { Prompts, RecordedRequest } from '../../../queries/runs/prompt.ts';
import { indented } from '../../text/indented.ts';

export const promptsJson = ({ run_id, persona, difference, asked }: Prompts): object => ({
  run_id,
  persona,
  identical: difference === null,
  calls: asked.map(({ call, request }) => ({ call, ...shown(request) })),
});

export function promptsText({ difference, asked }: Prompts): string {
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
