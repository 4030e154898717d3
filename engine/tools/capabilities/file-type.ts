const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** The type under which a mail carries a file, by its name; `isText`: its bytes are UTF-8. */
export const typeOfFile = (name: string, isText: boolean): string =>
  TYPES[name.split('.').at(-1)?.toLowerCase() ?? ''] ??
  (isText ? 'text/plain; charset=utf-8' : 'application/octet-stream');
