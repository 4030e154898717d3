/** Answers that are about markup, or have some of their own. Each reaches its reader as it is, to the byte. */
export interface Ordinary {
  readonly name: string;
  readonly text: string;
}

const PAIRS: readonly (readonly [string, string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<reasoning>', '</reasoning>'],
  ['<thought>', '</thought>'],
  ['<tool_call>', '</tool_call>'],
  ['<function_calls>', '</function_calls>'],
  ['<seed:think>', '</seed:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|START_THINKING|>', '<|END_THINKING|>'],
  ['<|channel|>', '<|message|>'],
  ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
];

type Template = (open: string, close: string) => string;

/** Of one mark or of two, in the ways that people write about them. */
const TEMPLATES: Readonly<Record<string, Template>> = {
  'inline code': (open, close) => `DeepSeek puts its reasoning between \`${open}\` and \`${close}\`.`,
  'inline code of a whole block': (open, close) =>
    `It writes \`${open}I should add 40 and 2.${close}\` before the answer.`,
  'code at the start': (open, close) => `\`${open}\` opens it and \`${close}\` closes it.`,
  fence: (open, close) =>
    `It looks so:\n\n\`\`\`\n${open}\nI should add 40 and 2.\n${close}\n\nThe total is 42.\n\`\`\`\n\nBest wishes\nAda`,
  'fence with a language': (open, close) =>
    `\`\`\`xml\n${open}\nwords of the model\n${close}\n\`\`\`\n\nThat is all of it.`,
  'tilde fence': (open, close) => `So:\n\n~~~text\n${open}hm, 42 it is${close}Yes.\n~~~\n`,
  'fence with the closing mark alone': (open, close) =>
    `Some servers leave only the end (not ${open} itself):\n\n\`\`\`\nso 42.\n${close}\n42\n\`\`\``,
  'indented code': (open, close) => `It looks so:\n\n    ${open}\n    words\n    ${close}\n\nand then the answer.`,
  'double quotes': (open, close) => `The texts "${open}" and "${close}" stand around it.`,
  'typographic quotes': (open, close) =>
    `Der Anfang ist „${open}“, das Ende „${close}“, und alles dazwischen fällt weg.`,
  'quotes around all': (open, close) => `The log says "${open}add 40 and 2 and look again${close}", nothing else.`,
  prose: (open) => `The tag ${open} means that the model begins to think aloud.`,
  'prose with both': (open, close) => `Whatever stands between ${open} and ${close} is not shown to anybody.`,
  'prose with both at its end': (open, close) => `Qwen marks its thoughts with ${open} and ${close}.`,
  parentheses: (open, close) => `The marks (${open}, ${close}) are special tokens of the model.`,
  ellipsis: (open, close) => `Take everything of the form ${open}...${close} out before you show it.`,
  slashes: (open, close) => `The ${open}/${close} pair was new then.`,
  list: (open, close) => `Marks:\n\n- ${open} opens the reasoning\n- ${close} closes it\n\nThat is all.`,
  numbers: (open, close) => `1. ${open} comes first.\n2. The thoughts.\n3. ${close} comes last.`,
  table: (open, close) => `| mark | meaning |\n| --- | --- |\n| ${open} | begins |\n| ${close} | ends |\n`,
  blockquote: (open, close) =>
    `You wrote:\n\n> ${open}\n> I should add 40 and 2.\n> ${close}\n> The total is 42.\n\nThat is a fault of the server.`,
  question: (open) => `Do you see ${open} at the top of the mail? Then the server has no parser for it.`,
  bold: (open, close) => `**${open}** and **${close}** belong together.`,
  'end of line': (open, close) => `Look for ${open}\nand for the closing ${close}, please.`,
};

const own = (texts: Readonly<Record<string, string>>): readonly Ordinary[] =>
  Object.entries(texts).map(([name, text]) => ({ name, text }));

const OWN = own({
  'a document':
    'Here it is:\n\n<report>\n<reasoning>The sum grew.</reasoning>\n<total>42</total>\n</report>\n\nBest wishes',
  'a document with indented elements':
    '<config>\n  <reasoning>\n    <level>high</level>\n  </reasoning>\n  <think>no</think>\n</config>',
  'a page':
    '<!doctype html>\n<html>\n<body>\n<thinking>\nnot a tag of HTML\n</thinking>\n<p>Hello</p>\n</body>\n</html>',
  'HTML in prose': 'Use <b>bold</b> and <i>italics</i>, and never <font>. A <br> ends the line; <details> folds it.',
  'a tag with attributes': 'Write <reasoning level="high"> in the head of the file, and <think mode="x"/> below it.',
  'XML in a fence': 'The schema:\n\n```xml\n<tool_call>\n  <name>list_files</name>\n</tool_call>\n```\n',
  'a call in a fence':
    'A call looks so:\n\n```json\n{"name": "read_file", "arguments": {"path": "plan.txt"}}\n```\n\nThe server answers with its content.',
  'a call in a fence, below words':
    'You send this:\n```json\n{"name": "read_file", "arguments": {"path": "plan.txt"}}\n```',
  'a call in inline code': 'Send `{"name": "read_file", "arguments": {"path": "plan.txt"}}` and wait.',
  'a call in a sentence':
    'Hermes writes {"name": "read_file", "arguments": {"path": "a"}} between its tags, and waits.',
  'JSON of its own': '{"name": "Ann", "age": 42}',
  'JSON with a name and a total': '{\n  "name": "Quarterly report",\n  "total": 42,\n  "items": []\n}',
  'a list of names': '[{"name": "Ann"}, {"name": "Bob"}]',
  'JSON below words': 'The record:\n\n{"name": "Ann", "city": "Bonn"}',
  Python: 'Call it like this:\n\n```python\nread_file(path="plan.txt")\nprint(list_files())\n```\n',
  'Python in a sentence': 'The function read_file(path="plan.txt") returns its text.',
  'a Markdown link list': '[TODO] call Ann\n[DONE] write to Bob\n[ARGS] none\n',
  brackets: '[1] The report.\n[2] The plan.\n\nSee [1] for the total.',
  'analysis as a word': 'analysis: the total is 42. The assistant said so in the final part.',
  'Analysis as a heading': 'Analysis\n\nThe total is 42.\n\nFinal\n\nSend it.',
  'a sentence that begins with it': 'Analysis of the plan: 42. No commentary is needed, and the final word is yours.',
  'thinking in words': 'Here is my thought process in short: I added 40 and 2.\n\nHere is my response: 42.',
  'an action in words': 'Action: call Ann tomorrow.\n\nObservation: she was not in.',
  'less and greater': 'If a < b and c > d then <x> is unknown; 3 <think 4 is no tag.',
  'an address': 'Write to Ann <ann@example.com> or <bob@example.com>.',
  generics: 'Map<string, Array<number>> and vector<int> are types; so is Promise<think>.',
  'a template': 'Dear <name>,\n\nthank you for <reason>.\n\n<signature>',
  'a diff': '```diff\n-<think>\n+<reasoning>\n```\n',
  shell: 'Run `grep -c "</think>" log.txt` and count.',
  'a regular expression': 'The expression `/<think>[\\s\\S]*?<\\/think>/g` finds all of them.',
  escaped: 'In HTML you write &lt;think&gt; and &lt;/think&gt; for it; in Markdown \\<think> works.',
  'an end token in prose': 'The end of a turn is <|im_end|>, and the end of a text <|endoftext|> in most of them.',
  'an end token last': 'ChatML ends each turn with <|im_end|>',
  'Mistral in prose': 'Mistral writes [TOOL_CALLS] before its calls and [TOOL_RESULTS] before what came back.',
  'harmony in prose':
    'gpt-oss writes <|channel|>analysis<|message|> before its reasoning and <|channel|>final<|message|> before the answer.',
  'harmony in a fence':
    'The raw text:\n\n```\n<|channel|>analysis<|message|>add them<|end|><|start|>assistant<|channel|>final<|message|>42<|return|>\n```\n\nOnly the last part counts.',
  'a code fence in a list': '- so:\n\n  ```\n  <think>\n  hm\n  </think>\n  ```\n- and so on',
  'nothing of it': 'Hello Ann,\n\nthe total is 42.\n\n  Best wishes  \nAda\n',
  'blanks and lines': '\n\n  Hello.  \n\n\n\nBye.\n\n',
  'a table of JSON': '| a | b |\n| --- | --- |\n| {"name": "read_file"} | [1, 2] |',
  'German quotes': 'Er schrieb: »<think> ist ein Zeichen von Modellen«, und hatte recht.',
  'what a parser does': 'vLLM looks for </think> and cuts there; if it never comes, all of it is content.',
  'a poem': 'think, thinking, thought,\nreasoning is what I sought',
});

export const ORDINARY: readonly Ordinary[] = [
  ...PAIRS.flatMap(([open, close]) =>
    Object.entries(TEMPLATES).map(([name, write]) => ({ name: `${name}: ${open}`, text: write(open, close) })),
  ),
  ...OWN,
];
