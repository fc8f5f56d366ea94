declare module "*/static/kept.js" {
  export function kept(name: string): string | null;
  export function keep(name: string, text: string): boolean;
}
