declare module "*/static/asking.js" {
  export function isSure(dialog: HTMLDialogElement): Promise<boolean>;
}
declare module "*/static/kept.js" {
  export function kept(name: string): string | null;
  export function keep(name: string, text: string): boolean;
}
