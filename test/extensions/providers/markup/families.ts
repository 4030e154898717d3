import type { Json } from '#contract';

/** How one family of models writes its reasoning and its calls, as text. */
export interface Family {
  readonly name: string;
  /** The model's id at its vendor. */
  readonly model: string;
  /** A text of which only `answer` is for its reader. */
  readonly reasoning: readonly ((thought: string, answer: string) => string)[];
  /** Texts that begin or end within reasoning, with no answer in them. */
  readonly unended: readonly ((thought: string) => string)[];
  readonly calls: readonly ((name: string, args: Readonly<Record<string, Json>>) => string)[];
}

const json = (value: Json): string => JSON.stringify(value);
const params = (args: Readonly<Record<string, Json>>, one: (key: string, value: string) => string): string =>
  Object.entries(args)
    .map(([key, value]) => one(key, typeof value === 'string' ? value : json(value)))
    .join('\n');
const python = (args: Readonly<Record<string, Json>>): string =>
  Object.entries(args)
    .map(([key, value]) => `${key}=${json(value)}`)
    .join(', ');

const tagged = (tag: string): Pick<Family, 'reasoning' | 'unended'> => ({
  reasoning: [
    (thought, answer) => `<${tag}>\n${thought}\n</${tag}>\n\n${answer}`,
    (thought, answer) => `<${tag}>${thought}</${tag}>${answer}`,
    (thought, answer) => `\n<${tag}>\n${thought}\n</${tag}>\n${answer}`,
    (thought, answer) => `${thought}\n</${tag}>\n\n${answer}`,
    (thought, answer) => `${thought}</${tag}>\n\n${answer}`,
  ],
  unended: [
    (thought) => `<${tag}>\n${thought}`,
    (thought) => `<${tag}>${thought}`,
    (thought) => `${thought}\n</${tag}>`,
  ],
});

const hermes = (name: string, args: Readonly<Record<string, Json>>) =>
  `<tool_call>\n${json({ name, arguments: args })}\n</tool_call>`;

export const FAMILIES: readonly Family[] = [
  {
    name: 'deepseek',
    model: 'deepseek-ai/DeepSeek-V3.2',
    ...tagged('think'),
    calls: [
      (name, args) =>
        `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${json(args)}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      (name, args) =>
        `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${json(args)}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
      (name, args) =>
        `<｜DSML｜function_calls>\n<｜DSML｜invoke name="${name}">\n${params(args, (key, value) => `<｜DSML｜parameter name="${key}" string="true">${value}</｜DSML｜parameter>`)}\n</｜DSML｜invoke>\n</｜DSML｜function_calls>`,
    ],
  },
  {
    name: 'qwen',
    model: 'qwen3:8b',
    ...tagged('think'),
    calls: [
      hermes,
      (name, args) => `<tool_call>\n${json({ name, arguments: args })}`,
      (name, args) => `<tool_call>{'name': '${name}', 'arguments': ${json(args).replaceAll('"', "'")}}</tool_call>`,
    ],
  },
  {
    name: 'qwen coder',
    model: 'Qwen/Qwen3-Coder-30B-A3B-Instruct',
    ...tagged('think'),
    calls: [
      (name, args) =>
        `<tool_call>\n<function=${name}>\n${params(args, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
      (name, args) =>
        `<function=${name}>\n${params(args, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
    ],
  },
  {
    name: 'claude style',
    model: 'claude-like-7b',
    ...tagged('thinking'),
    calls: [
      (name, args) =>
        `<function_calls>\n<invoke name="${name}">\n${params(args, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>\n</function_calls>`,
      (name, args) =>
        `<invoke name="${name}">\n${params(args, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>`,
    ],
  },
  {
    name: 'hermes',
    model: 'NousResearch/Hermes-4-70B',
    ...tagged('reasoning'),
    calls: [hermes, (name, args) => `<tool_call>${json({ arguments: args, name })}</tool_call>`],
  },
  {
    name: 'gpt-oss',
    model: 'gpt-oss:20b',
    reasoning: [
      (thought, answer) =>
        `<|channel|>analysis<|message|>${thought}<|end|><|start|>assistant<|channel|>final<|message|>${answer}<|return|>`,
      (thought, answer) =>
        `<|start|>assistant<|channel|>analysis<|message|>${thought}<|end|>\n<|start|>assistant<|channel|>final<|message|>${answer}`,
      (thought, answer) => `analysis${thought}assistantfinal${answer}`,
      (thought, answer) =>
        `analysis<|message|>${thought}<|end|><|start|>assistant<|channel|>final<|message|>${answer}<|end|>`,
      (thought, answer) =>
        `<|channel|>analysis<|message|>${thought}<|end|><|start|>assistant<|channel|>commentary<|message|>Let me see.<|end|><|start|>assistant<|channel|>final<|message|>${answer}`,
    ],
    unended: [
      (thought) => `<|channel|>analysis<|message|>${thought}`,
      (thought) => `<|start|>assistant<|channel|>analysis<|message|>${thought}<|end|>`,
    ],
    calls: [
      (name, args) =>
        `<|channel|>analysis<|message|>I need it.<|end|><|start|>assistant<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(args)}<|call|>`,
      (name, args) => `<|channel|>commentary to=functions.${name} <|constrain|>json<|message|>${json(args)}`,
      (name, args) =>
        `<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>${json(args)}<|call|>`,
      (name, args) => `analysisWe need it.assistantcommentary to=functions.${name} json${json(args)}`,
    ],
  },
  {
    name: 'llama',
    model: 'llama3.1:8b',
    reasoning: [],
    unended: [],
    calls: [
      (name, args) => json({ name, parameters: args }),
      (name, args) => `<|python_tag|>${json({ name, parameters: args })}`,
      (name, args) => `<|python_tag|>${name}.call(${python(args)})<|eom_id|>`,
      (name, args) => `<function=${name}>${json(args)}</function>`,
      (name, args) => `[${name}(${python(args)})]`,
      (name, args) => `\`\`\`json\n${json({ name, parameters: args })}\n\`\`\``,
      (name, args) => json({ type: 'function', name, parameters: args }),
      (name, args) => `<|python_start|>[${name}(${python(args)})]<|python_end|>`,
    ],
  },
  {
    name: 'mistral',
    model: 'mistral-small3.2',
    reasoning: [
      (thought, answer) => `[THINK]${thought}[/THINK]${answer}`,
      (thought, answer) => `[THINK]\n${thought}\n[/THINK]\n\n${answer}`,
    ],
    unended: [(thought) => `[THINK]${thought}`],
    calls: [
      (name, args) => `[TOOL_CALLS][${json({ name, arguments: args })}]`,
      (name, args) => `[TOOL_CALLS] [${json({ name, arguments: args })}]</s>`,
      (name, args) => `[TOOL_CALLS]${name}[ARGS]${json(args)}`,
      (name, args) => `[TOOL_CALLS]${name}[CALL_ID]abc123def[ARGS]${json(args)}`,
      (name, args) => `[TOOL_CALLS]${name}${json(args)}`,
    ],
  },
  {
    name: 'kimi',
    model: 'moonshotai/Kimi-K2-Thinking',
    reasoning: [(thought, answer) => `◁think▷${thought}◁/think▷${answer}`, ...tagged('think').reasoning],
    unended: [(thought) => `◁think▷${thought}`],
    calls: [
      (name, args) =>
        `<|tool_calls_section_begin|><|tool_call_begin|>functions.${name}:0<|tool_call_argument_begin|>${json(args)}<|tool_call_end|><|tool_calls_section_end|>`,
      (name, args) =>
        `<|tool_call_begin|>functions.${name}:3<|tool_call_argument_begin|>${json(args)}<|tool_call_end|>`,
    ],
  },
  {
    name: 'gemma',
    model: 'gemma4:12b',
    reasoning: [(thought, answer) => `<|channel>thought\n${thought}<channel|>${answer}`],
    unended: [(thought) => `<|channel>thought\n${thought}`],
    calls: [
      (name, args) =>
        `<|tool_call>call:${name}{${Object.entries(args).map(([key, value]) => `${key}:${typeof value === 'string' ? `<|"|>${value}<|"|>` : json(value)}`)}}<tool_call|>`,
      (name, args) =>
        `<start_function_call>call:${name}{${Object.entries(args).map(([key, value]) => `${key}:${typeof value === 'string' ? `<escape>${value}<escape>` : json(value)}`)}}<end_function_call>`,
      (name, args) => `\`\`\`tool_code\nprint(default_api.${name}(${python(args)}))\n\`\`\``,
      (name, args) => `\`\`\`tool_code\n${name}(${python(args)})\n\`\`\``,
    ],
  },
  {
    name: 'glm',
    model: 'zai-org/GLM-4.6',
    ...tagged('think'),
    calls: [
      (name, args) =>
        `<tool_call>${name}\n${params(args, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
      (name, args) =>
        `<tool_call>${name}${params(args, (key, value) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`)}</tool_call>`,
    ],
  },
  {
    name: 'granite',
    model: 'ibm-granite/granite-3.2-8b-instruct',
    reasoning: [
      (thought, answer) => `<think>${thought}</think>\n<response>${answer}</response>`,
      (thought, answer) => `Here is my thought process:\n${thought}\n\nHere is my response:\n${answer}`,
    ],
    unended: [(thought) => `<think>${thought}`],
    calls: [
      (name, args) => `<|tool_call|>[${json({ name, arguments: args })}]`,
      (name, args) => `<|tool_call|>${json({ name, arguments: args })}`,
      (name, args) => `<function_call> ${json({ name, arguments: args })}`,
    ],
  },
  {
    name: 'command',
    model: 'command-a-03-2025',
    reasoning: [
      (thought, answer) => `<|START_THINKING|>${thought}<|END_THINKING|><|START_RESPONSE|>${answer}<|END_RESPONSE|>`,
      (thought, answer) => `${thought}<|END_THINKING|>\n<|START_RESPONSE|>${answer}`,
    ],
    unended: [(thought) => `<|START_THINKING|>${thought}`],
    calls: [
      (name, args) =>
        `<|START_THINKING|>I will look.<|END_THINKING|><|START_ACTION|>[\n    ${json({ tool_call_id: '0', tool_name: name, parameters: args })}\n]<|END_ACTION|>`,
      (name, args) => `Action: \`\`\`json\n[\n    ${json({ tool_name: name, parameters: args })}\n]\n\`\`\``,
    ],
  },
  {
    name: 'minimax',
    model: 'MiniMaxAI/MiniMax-M2',
    ...tagged('think'),
    calls: [
      (name, args) =>
        `<minimax:tool_call>\n<invoke name="${name}">\n${params(args, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>\n</minimax:tool_call>`,
      (name, args) => `<tool_calls>\n${json({ name, arguments: args })}\n</tool_calls>`,
    ],
  },
  {
    name: 'seed',
    model: 'ByteDance-Seed/Seed-OSS-36B-Instruct',
    ...tagged('seed:think'),
    calls: [
      (name, args) =>
        `<seed:tool_call>\n<function=${name}>\n${params(args, (key, value) => `<parameter=${key}>${value}</parameter>`)}\n</function>\n</seed:tool_call>`,
    ],
  },
  {
    name: 'nemotron',
    model: 'nvidia/Llama-3_3-Nemotron-Super-49B-v1_5',
    ...tagged('thought'),
    calls: [
      (name, args) => `<TOOLCALL>[${json({ name, arguments: args })}]</TOOLCALL>`,
      (name, args) => `functools[${json({ name, arguments: args })}]`,
    ],
  },
];
