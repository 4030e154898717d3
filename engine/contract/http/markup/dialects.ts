/** Text between two marks. Null: it ends where its content does, or with the text. */
export interface Marks {
  readonly open: string;
  readonly close: string | null;
}

/** How models of one kind write, as text, what their servers should have taken out of it. */
export interface Dialect {
  /** Thinking. */
  readonly reasoning?: readonly Marks[];
  /** The opening mark stood in the prompt already, so that an answer may begin within its thinking. */
  readonly startsInside?: true;
  /** Calls. A mark that ends in `=` or `"` goes on with the tool's name. */
  readonly calls?: readonly Marks[];
  /** Of these, marks that others may use as well: they count where the call is one of a tool that was offered. */
  readonly onlyOffered?: readonly string[];
  /** Results that a model has made up. */
  readonly results?: readonly Marks[];
  /** What stands around the answer itself. */
  readonly wraps?: readonly Marks[];
  /** Ends of a turn, at the end of the text. */
  readonly ends?: readonly string[];
  /** Messages with a channel each, as gpt-oss writes them. */
  readonly channels?: true;
  /** Headings of the thinking and of the answer, in words. */
  readonly headings?: readonly Marks[];
}

const tag = (name: string): Marks => ({ open: `<${name}>`, close: `</${name}>` });
/** Of Anthropic's own tags. */
const PREFIX = 'antml:';
const until = (open: string, close: string | null = null): Marks => ({ open, close });

/**
 * By name. Sources: the chat templates of the models and the parsers of vLLM, SGLang and llama.cpp, looked at on 29
 * November 2026.
 */
export const DIALECTS = {
  /** DeepSeek R1 and V3.1, Qwen 3, QwQ, GLM, MiniMax, Nemotron, Phi-4 reasoning, SmolLM, Hunyuan, ERNIE, Granite 3.3. */
  think: { reasoning: [tag('think')], startsInside: true },
  /** What other families and fine-tunes call the same. */
  thoughts: {
    reasoning: [
      ...['thinking', 'thought', 'thoughts', 'reasoning', 'reflection', 'analysis', 'scratchpad', 'scratch_pad'].map(
        tag,
      ),
      ...['inner_monologue', 'internal_monologue', 'antThinking', `${PREFIX}thinking`, `${PREFIX}reasoning`].map(tag),
      ...[tag('longcat_think'), until('&lt;think&gt;', '&lt;/think&gt;')],
      ...[until('<|begin_of_thought|>', '<|end_of_thought|>'), until('<unused94>thought', '<unused95>')],
    ],
    startsInside: true,
  },
  qwen: {
    calls: [tag('tool_call'), until('<function=', '</function>'), until('✿FUNCTION✿:', '✿RESULT✿')],
    results: [tag('tool_response')],
    ends: ['<|im_end|>', '<|endoftext|>', '<|im_start|>assistant'],
  },
  hermes: {
    calls: [tag('tool_call'), tag('tool_calls'), tag('function_call'), tag('tool_use')],
    results: [tag('tool_response')],
  },
  llama: {
    calls: [until('<|python_tag|>', '<|eom_id|>'), until('<|python_start|>', '<|python_end|>')],
    ends: ['<|eot_id|>', '<|eom_id|>', '<|end_of_text|>', '<|eot|>', '<|python_end|>'],
  },
  mistral: {
    reasoning: [until('[THINK]', '[/THINK]')],
    startsInside: true,
    calls: [until('[TOOL_CALLS]')],
    results: [until('[TOOL_RESULTS]', '[/TOOL_RESULTS]')],
    ends: ['</s>'],
  },
  deepseek: {
    calls: [
      until('<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'),
      until('<｜tool▁call▁begin｜>', '<｜tool▁call▁end｜>'),
      until('<｜DSML｜function_calls>', '</｜DSML｜function_calls>'),
      until('<｜DSML｜tool_calls>', '</｜DSML｜tool_calls>'),
      until('<｜DSML｜invoke name="', '</｜DSML｜invoke>'),
    ],
    results: [until('<｜tool▁outputs▁begin｜>', '<｜tool▁outputs▁end｜>')],
    ends: ['<｜end▁of▁sentence｜>', '<｜Assistant｜>', '<｜User｜>'],
  },
  kimi: {
    reasoning: [until('◁think▷', '◁/think▷')],
    startsInside: true,
    calls: [
      until('<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'),
      until('<|tool_call_begin|>', '<|tool_call_end|>'),
    ],
    ends: ['[EOS]'],
  },
  glm: {
    calls: [tag('tool_call')],
    results: [tag('tool_response')],
    wraps: [until('<|begin_of_box|>', '<|end_of_box|>')],
    ends: ['<|observation|>', '<|user|>', '<|assistant|>'],
  },
  minimax: { calls: [tag('minimax:tool_call'), tag('tool_calls')] },
  seed: {
    reasoning: [tag('seed:think'), tag('seed:cot_budget_reflect')],
    startsInside: true,
    calls: [tag('seed:tool_call')],
    ends: ['<seed:eos>'],
  },
  gemma: {
    reasoning: [until('<|channel>thought', '<channel|>')],
    calls: [
      until('<|tool_call>', '<tool_call|>'),
      until('<start_function_call>', '<end_function_call>'),
      until('```tool_code', '```'),
      until('```tool_call', '```'),
      until('```tool_calls', '```'),
    ],
    onlyOffered: ['```tool_code', '```tool_call', '```tool_calls'],
    results: [until('<|tool_response>', '<tool_response|>'), until('```tool_outputs', '```')],
    ends: ['<end_of_turn>', '<turn|>', '<eos>'],
  },
  granite: {
    calls: [until('<|tool_call|>', '<|/tool_call|>'), until('<function_call>', '</function_call>')],
    ends: ['<|end_of_role|>', '<|end_of_text|>'],
  },
  /** Granite 3.2 thinks below a heading. */
  granite_headings: { headings: [until('Here is my thought process:', 'Here is my response:')] },
  command: {
    reasoning: [until('<|START_THINKING|>', '<|END_THINKING|>')],
    startsInside: true,
    calls: [
      until('<|START_ACTION|>', '<|END_ACTION|>'),
      until('Action: ```json', '```'),
      until('Action:```json', '```'),
    ],
    onlyOffered: ['Action: ```json', 'Action:```json'],
    results: [until('<|START_TOOL_RESULT|>', '<|END_TOOL_RESULT|>')],
    wraps: [until('<|START_RESPONSE|>', '<|END_RESPONSE|>'), until('<|START_TEXT|>', '<|END_TEXT|>')],
    ends: ['<|END_OF_TURN_TOKEN|>', '<|END_RESPONSE|>'],
  },
  /** Claude's, and what is trained on it. */
  invoke: {
    calls: [
      tag('function_calls'),
      tag(`${PREFIX}function_calls`),
      until('<invoke name="', '</invoke>'),
      until(`<${PREFIX}invoke name="`, `</${PREFIX}invoke>`),
    ],
    results: [tag('function_results'), tag(`${PREFIX}function_results`)],
  },
  nemotron: { calls: [tag('TOOLCALL')] },
  phi: { calls: [until('<|tool_call|>', '<|/tool_call|>'), until('functools')], onlyOffered: ['functools'] },
  internlm: { calls: [until('<|action_start|>', '<|action_end|>')] },
  longcat: { calls: [tag('longcat_tool_call')] },
  step: {
    calls: [
      until('<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'),
      until('<｜tool_call_begin｜>', '<｜tool_call_end｜>'),
    ],
  },
  apertus: {
    reasoning: [until('<|inner_prefix|>', '<|inner_suffix|>')],
    calls: [until('<|tools_prefix|>', '<|tools_suffix|>')],
    ends: ['<|assistant_end|>'],
  },
  harmony: { channels: true, ends: ['<|return|>', '<|call|>', '<|end|>'] },
  /** R1 and its like put the answer into a tag of its own, behind the thinking. */
  answers: {
    wraps: [until('<|begin_of_solution|>', '<|end_of_solution|>')].concat(
      ['answer', 'response', 'final_answer', 'final', 'output'].map(tag),
    ),
  },
} as const satisfies Readonly<Record<string, Dialect>>;

export type DialectName = keyof typeof DIALECTS;

const FAMILY_ONLY: ReadonlySet<DialectName> = new Set<DialectName>(['granite_headings']);

/** All that cannot be taken for words of a person. */
export const DEFAULT_DIALECTS: readonly DialectName[] = (Object.keys(DIALECTS) as DialectName[]).filter(
  (name) => !FAMILY_ONLY.has(name),
);

/** What a family adds to them: by a part of the model's id, in lower case. */
export const FAMILIES: Readonly<Record<string, readonly DialectName[]>> = {
  'granite-3.2': ['granite_headings'],
  'granite3.2': ['granite_headings'],
};

/** The dialects of a model, by its id as its vendor writes it. */
export function dialectsOf(model: string): readonly DialectName[] {
  const id = model.toLowerCase();
  const more = Object.entries(FAMILIES).flatMap(([part, names]) => (id.includes(part) ? names : []));
  return more.length === 0 ? DEFAULT_DIALECTS : [...DEFAULT_DIALECTS, ...more];
}

type Kind = 'reasoning' | 'close' | 'call' | 'result';

export interface Mark extends Marks {
  readonly kind: Kind;
  readonly onlyOffered: boolean;
}

export interface MarkTable {
  /** By the first two characters of the mark, in small letters; the longest first. */
  readonly marks: ReadonlyMap<string, readonly Mark[]>;
  readonly wraps: readonly Marks[];
  readonly ends: readonly string[];
  readonly headings: readonly Marks[];
  readonly channels: boolean;
}

const tables = new Map<string, MarkTable>();

/** The marks of some dialects, to be looked up; put together once. */
export function tableOf(names: readonly DialectName[]): MarkTable {
  const key = names.join();
  const known = tables.get(key);
  if (known) return known;
  const dialects: readonly Dialect[] = names.map((name) => DIALECTS[name]);
  const all = dialects.flatMap((dialect): Mark[] => {
    const reasoning = dialect.reasoning ?? [];
    const marksOf = (kind: Kind, marks: readonly Marks[] = []) =>
      marks.map((mark) => ({ ...mark, kind, onlyOffered: dialect.onlyOffered?.includes(mark.open) ?? false }));
    const closes = dialect.startsInside ? reasoning.map(({ open, close }) => ({ open: close ?? '', close: open })) : [];
    return [
      ...marksOf('reasoning', reasoning),
      ...marksOf('close', closes),
      ...marksOf('call', dialect.calls),
      ...marksOf('result', dialect.results),
    ];
  });
  const unique = [...new Map(all.map((mark) => [`${mark.kind} ${mark.open}`, mark])).values()];
  const sorted = unique.sort((one, other) => other.open.length - one.open.length);
  const marks = new Map<string, Mark[]>();
  for (const mark of sorted) {
    const first = mark.open.slice(0, 2).toLowerCase();
    marks.set(first, [...(marks.get(first) ?? []), mark]);
  }
  const table = {
    marks,
    wraps: dialects.flatMap(({ wraps }) => wraps ?? []),
    ends: dialects.flatMap(({ ends }) => ends ?? []),
    headings: dialects.flatMap(({ headings }) => headings ?? []),
    channels: dialects.some(({ channels }) => channels === true),
  };
  tables.set(key, table);
  return table;
}

/** Tags are written in any case, everything else as it is. */
export function startsWith(text: string, mark: string, at: number): boolean {
  if (text.startsWith(mark, at)) return true;
  return (
    mark.startsWith('<') &&
    /^<\/?\w/.test(mark) &&
    text.slice(at, at + mark.length).toLowerCase() === mark.toLowerCase()
  );
}

export function indexOf(text: string, mark: string, from: number): number {
  if (!/^<\/?\w/.test(mark)) return text.indexOf(mark, from);
  for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1))
    if (startsWith(text, mark, at)) return at;
  return -1;
}
