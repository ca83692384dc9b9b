#!/bin/sh
# Makes weka_*.txt, and the rows with Weka's predictions and probabilities (weka_*.arff).
# Weka 3.6.14 (Debian 3.6.14-3): WEKA=weka.jar DATA=/usr/share/doc/weka/examples sh make_weka.sh
keep() { # NAME TABLE CLASSIFIER OPTIONS
    name=$1 table=$2 classifier=weka.classifiers.trees.$3
    shift 3
    java -cp "$WEKA" "$classifier" "$@" -no-cv -t "$DATA/$table.arff" > "weka_$name.txt"
    what="-classification"
    [ "$table" = cpu ] || what="-classification -distribution"
    # shellcheck disable=SC2086
    java -cp "$WEKA" weka.filters.supervised.attribute.AddClassification \
        -W "$classifier $*" $what -i "$DATA/$table.arff" -o "weka_$name.arff" -c last
}
keep j48 weather.numeric J48 -C 0.25 -M 2
keep j48_missing labor J48 -U -M 2
keep j48_binary contact-lenses J48 -B
keep j48_numbers glass J48 -C 0.25 -M 2
keep reptree iris REPTree
keep reptree_categories breast-cancer REPTree -L 3
keep reptree_number cpu REPTree
keep id3 contact-lenses Id3
keep id3_weather weather.nominal Id3
keep m5p_number cpu M5P -R -M 20
keep m5p_unsmoothed cpu M5P -R -N -U -M 30
keep m5p_equations cpu M5P -M 30 && rm weka_m5p_equations.arff # not read
