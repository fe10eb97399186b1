# Writes OUTPUT: the recipes of FOLDER as a table of C++ string literals.
file(GLOB recipes ${FOLDER}/*.toml)
set(rows "")
foreach(recipe ${recipes})
  get_filename_component(name ${recipe} NAME_WE)
  file(READ ${recipe} text)
  string(APPEND rows "    {\"${name}\", R\"TOML(${text})TOML\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"hone/cli/recipes.h\"\n\nnamespace hone::cli {\n
const std::vector<Recipe> kRecipes = {\n${rows}};\n\n}  // namespace hone::cli\n")
