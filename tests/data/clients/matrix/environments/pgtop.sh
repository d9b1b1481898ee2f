debian pgtop
