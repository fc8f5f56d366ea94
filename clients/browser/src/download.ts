/** Has the browser save a file of JSON that the page has made. */
export function download(name: string, content: string | Uint8Array<ArrayBuffer>): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(new Blob([content], { type: "application/json" }));
  anchor.download = name;
  anchor.click();
  // The browser reads the file only after this returns.
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
