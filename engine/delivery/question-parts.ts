import { z } from 'zod';
import type { ApprovalRow } from '../storage/approval-tables.ts';
import type { Blobs } from '../storage/blobs.ts';
import { describeArguments, describeText, isLong, textOfArgument, visible } from './approval-text.ts';
import { type Enclosed, type Enclosures, enclose, wantedFiles, wantedText } from './enclosures.ts';

/** One thing that an owner is asked about. */
interface Part {
  /** Before the names of its files, where a mail asks about several. */
  readonly label: string;
  readonly argumentsJson: string;
  readonly preview: string | null;
  readonly attached: readonly AttachedFile[];
}

type AttachedFile = z.infer<typeof attachedFiles>[number];
const attachedFiles = z.array(
  z.object({ name: z.string(), type: z.string(), bytes: z.int(), sha256: z.string(), kept: z.boolean() }),
);

/** More than a list of arguments, since a tool has cut it to what is worth seeing. */
const MAX_PREVIEW_CHARS = 20_000;

export const attachedOf = ({ attached_json }: Pick<ApprovalRow, 'attached_json'>): readonly AttachedFile[] =>
  attached_json === null ? [] : attachedFiles.parse(JSON.parse(attached_json));

export const partOf = (approval: ApprovalRow, label = ''): Part => ({
  label,
  argumentsJson: approval.arguments_json,
  preview: approval.preview,
  attached: attachedOf(approval),
});

/**
 * What a person needs to see of each part: every argument, what it would change, and the files it is about. What is too
 * long for a mail stands in it with its beginning and goes along whole; texts come before files, since nobody may say
 * yes to half a sentence.
 */
export async function describeParts(
  parts: readonly Part[],
  artifacts: Pick<Blobs, 'get'>,
): Promise<{ readonly lines: readonly (readonly string[])[]; readonly files: readonly Enclosed[] }> {
  const texts = parts.flatMap((part, index) => [...longArguments(part, index), ...longPreview(part, index)]);
  const kept = parts.flatMap(({ label, attached }, index) =>
    attached.map((file, at) => ({ ...file, key: `${index} file ${at}`, name: `${label}${file.name}` })),
  );
  const enclosures = enclose([...texts, ...(await wantedFiles(kept, artifacts))]);
  return { lines: parts.map((part, index) => linesOf(part, index, enclosures)), files: enclosures.files };
}

function longArguments({ argumentsJson, label }: Part, index: number) {
  return Object.entries(JSON.parse(argumentsJson) as Record<string, unknown>).flatMap(([key, value]) => {
    const text = textOfArgument(value);
    return isLong(text)
      ? [wantedText(`${index} argument ${key}`, `${label}${key.replace(/[^\w. -]/g, '_')}`, visible(text))]
      : [];
  });
}

const longPreview = ({ preview, label }: Part, index: number) =>
  preview !== null && isLong(preview, MAX_PREVIEW_CHARS)
    ? [wantedText(`${index} preview`, `${label}what would change`, visible(preview))]
    : [];

function linesOf({ argumentsJson, preview, attached }: Part, index: number, { nameOf }: Enclosures): string[] {
  const file = (at: number) => nameOf(`${index} file ${at}`);
  return [
    ...describeArguments(argumentsJson, (key) => nameOf(`${index} argument ${key}`)),
    ...(preview === null || preview.trim() === ''
      ? []
      : [describeText('What would change', preview.trimEnd(), nameOf(`${index} preview`), MAX_PREVIEW_CHARS)]),
    ...attached.map(({ name, bytes, sha256 }, at) => {
      const [as, known] = [file(at), `${bytes} bytes, sha256 ${sha256}`];
      if (as !== null) return describeText('Attached to this mail', `${as} (${known})`);
      return describeText('Too large to be attached to this mail, or not kept any more', `${name} (${known})`);
    }),
  ];
}
