/** Short helpers for WordprocessingML. */

export const WHO = 'w:id="1" w:author="A" w:date="2024-01-01T00:00:00Z"';
export const run = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
export const ins = (content: string) => `<w:ins ${WHO}>${content}</w:ins>`;
export const del = (text: string) => `<w:del ${WHO}><w:r><w:delText>${text}</w:delText></w:r></w:del>`;
export const mark = (...changes: string[]) =>
  `<w:rPr>${changes.map((change) => `<w:${change} ${WHO}/>`).join('')}</w:rPr>`;
export const p = (content: string, properties = '') =>
  `<w:p>${properties === '' ? '' : `<w:pPr>${properties}</w:pPr>`}${content}</w:p>`;
export const style = (name: string) => `<w:pStyle w:val="${name}"/>`;
export const row = (content: string, properties = '') =>
  `<w:tr>${properties === '' ? '' : `<w:trPr>${properties}</w:trPr>`}<w:tc><w:tcPr/>${content}</w:tc></w:tr>`;
export const table = (...rows: string[]) => `<w:tbl><w:tblPr/><w:tblGrid/>${rows.join('')}</w:tbl>`;
