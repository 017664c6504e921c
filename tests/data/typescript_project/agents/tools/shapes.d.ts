declare module 'tag-code' {
  export function tagCode(text: string): string;
}
