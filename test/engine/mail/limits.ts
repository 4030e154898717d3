/** The defaults of gateway.json. */
export const LIMITS = {
  max_message_bytes: 26_214_400,
  max_attachments: 20,
  max_attachment_bytes: 10_485_760,
  max_mime_depth: 32,
  max_mime_parts: 200,
  max_files_bytes: 1_073_741_824,
};
